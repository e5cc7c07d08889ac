package io.stele.protocol.api.scan;

import io.stele.protocol.api.write.WrittenFile;

/**
 * The place of a column file's metadata in its key index, which is at {@link
 * WrittenFile#keyIndexPath(String)}. The checksums of the file are a part of them.
 *
 * @param keyIndexBytes size of the key index in bytes
 * @param metadataBytes bytes of the key index from the metadata to its end, which one request reads
 */
public record IndexedMetadata(long keyIndexBytes, int metadataBytes) {
    public IndexedMetadata {
        if (metadataBytes <= 0 || metadataBytes > keyIndexBytes) {
            throw new IllegalArgumentException(
                    "Expected 1 to "
                            + keyIndexBytes
                            + " bytes from the metadata to the end of the key index, found "
                            + metadataBytes);
        }
    }
}
