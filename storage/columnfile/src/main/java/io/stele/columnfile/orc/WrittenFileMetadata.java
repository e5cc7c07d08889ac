package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.metadata.FileMetadataBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.apache.orc.OrcProto;
import org.apache.orc.impl.OrcTail;
import org.apache.orc.impl.ReaderImpl;

/**
 * The metadata of a finished column file from its writer, from which a reader can be opened without
 * reading the file.
 *
 * @param lastBytes of the file, or all of a smaller one; not to be changed
 * @param checksums {@code ChecksummingWriter.checksums}; not to be changed
 * @param metadata of the file, for readers on other nodes; empty if its end is too long
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record WrittenFileMetadata(
        byte[] lastBytes, byte[] checksums, Optional<FileMetadataBytes> metadata) {
    public WrittenFileMetadata {
        requireNonNull(lastBytes, "lastBytes is null");
        requireNonNull(checksums, "checksums is null");
        requireNonNull(metadata, "metadata is null");
    }

    /** The same with metadata that came from elsewhere. */
    static WrittenFileMetadata of(FileMetadata metadata) {
        return new WrittenFileMetadata(
                metadata.bytes().last(LastBytes.MAX_BYTES),
                metadata.checksums(),
                Optional.of(metadata.bytes()));
    }

    /** Bytes in memory. */
    public long heldBytes() {
        return lastBytes.length
                + checksums.length
                + metadata.map(FileMetadataBytes::sizeBytes).orElse(0L);
    }

    /** For readers elsewhere; empty if they are too long. */
    public Optional<byte[]> encodedMetadata() {
        return metadata.flatMap(bytes -> new FileMetadata(checksums, bytes).encode());
    }

    /** For the key index: {@link FileMetadata#encodeStored}. */
    public byte[] storedMetadata() {
        return new FileMetadata(checksums, metadata.orElseGet(FileMetadataBytes::new))
                .encodeStored();
    }

    /** The end decoded; empty if it has more than the last bytes. */
    Optional<OrcTail> tail(long fileBytes) throws IOException {
        // The last byte of a file is the length of the postscript, which has all the other lengths
        int scriptBytes = lastBytes[lastBytes.length - 1] & 0xff;
        OrcProto.PostScript script =
                OrcProto.PostScript.parseFrom(
                        ByteBuffer.wrap(
                                lastBytes, lastBytes.length - 1 - scriptBytes, scriptBytes));
        long bytes =
                1L
                        + scriptBytes
                        + script.getFooterLength()
                        + script.getMetadataLength()
                        + script.getStripeStatisticsLength();
        if (bytes > lastBytes.length) {
            return Optional.empty();
        }
        // The library takes such a buffer for a whole file: what it finds is right but for the
        // length
        byte[] end =
                Arrays.copyOfRange(lastBytes, lastBytes.length - (int) bytes, lastBytes.length);
        OrcProto.FileTail found =
                ReaderImpl.extractFileTail(ByteBuffer.wrap(end), -1, 0).getFileTail();
        return Optional.of(
                new OrcTail(
                        found.toBuilder().setFileLength(fileBytes).build(),
                        ByteBuffer.wrap(end),
                        0));
    }
}
