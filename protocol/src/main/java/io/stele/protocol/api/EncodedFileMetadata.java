package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * What readers of a column file want before its values.
 *
 * @param path of the file, in the warehouse
 * @param content as the storage module encodes it; no bytes: none is here
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EncodedFileMetadata(String path, byte[] content) {
    public EncodedFileMetadata {
        requireNonNull(path, "path is null");
        requireNonNull(content, "content is null");
    }
}
