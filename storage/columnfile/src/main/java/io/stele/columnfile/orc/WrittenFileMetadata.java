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
 * The metadata of a column file in memory right after its writing, from which readers are opened
 * without reading the file.
 *
 * @param lastBytes the last bytes of the file, or all bytes of a smaller file; must not be changed
 * @param checksums {@code ChecksummingWriter.checksums}; must not be changed
 * @param metadata of the file, for readers on other nodes; empty if its end is too long
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record WrittenFileMetadata(
        byte[] lastBytes, byte[] checksums, Optional<FileMetadataBytes> metadata) {
    /** The end of a file of a hundred columns and ten stripes has about half of this. */
    public static final int MAX_LAST_BYTES = 64 << 10;

    public WrittenFileMetadata {
        requireNonNull(lastBytes, "lastBytes is null");
        requireNonNull(checksums, "checksums is null");
        requireNonNull(metadata, "metadata is null");
    }

    /** The form of metadata that another node wrote or that was read. */
    static WrittenFileMetadata of(FileMetadata metadata) {
        return new WrittenFileMetadata(
                metadata.bytes().last(MAX_LAST_BYTES),
                metadata.checksums(),
                Optional.of(metadata.bytes()));
    }

    /** The memory that this holds, in bytes. */
    public long heldBytes() {
        return lastBytes.length
                + checksums.length
                + metadata.map(FileMetadataBytes::sizeBytes).orElse(0L);
    }

    /** The form for readers on other nodes; empty if it is too long. */
    public Optional<byte[]> encodedMetadata() {
        return metadata.flatMap(bytes -> new FileMetadata(checksums, bytes).encode());
    }

    /** The form for the key index: {@link FileMetadata#encodeStored}. */
    public byte[] storedMetadata() {
        return new FileMetadata(checksums, metadata.orElseGet(FileMetadataBytes::new))
                .encodeStored();
    }

    /** The decoded end of the file; empty if it is longer than the last bytes. */
    Optional<OrcTail> tail(long fileBytes) throws IOException {
        // The last byte of a file is the length of the postscript, which has all other lengths
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
        // The library treats this buffer as a whole file: its results are correct, except for the
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
