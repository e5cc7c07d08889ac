package io.stele.columnfile.metadata;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.index.KeyIndexWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * The encoded file metadata of a column file (footer, stripe footers, row indexes) with its
 * checksums, which scans and lookups need before the values. The writer sends it to the readers.
 * The file's {@link KeyIndexWriter key index} stores it for later readers, and is then the only
 * place of the checksums. The stored form may contain the checksums alone.
 *
 * <pre>
 * magic 8 "STELEMET" | count of runs 4
 * of each run: offset in the file 8 | length 4 | bytes
 * length of the checksums 4 | checksums ({@link FileChecksums})
 * CRC32C 4 of all before
 * </pre>
 *
 * @param checksums {@link ChecksummingWriter#checksums}; must not be changed
 * @param bytes of the file that are not values, from some stripes and from its end; empty if there
 *     are only checksums
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record FileMetadata(byte[] checksums, FileMetadataBytes bytes) {
    /**
     * The greatest size of encoded metadata that is sent or stored. A file of a hundred columns and
     * ten stripes has half of it.
     */
    public static final int MAX_BYTES = 1 << 20;

    private static final byte[] MAGIC = "STELEMET".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 12;
    private static final int RUN_BYTES = 12;

    public FileMetadata {
        requireNonNull(checksums, "checksums is null");
        requireNonNull(bytes, "bytes is null");
    }

    /** The form to be sent; empty if it is too long. */
    public Optional<byte[]> encode() {
        return encodedBytes() > MAX_BYTES ? Optional.empty() : Optional.of(encodeAll());
    }

    /** The form to be stored; only the checksums if all metadata is too long. */
    public byte[] encodeStored() {
        return encode().orElseGet(
                        () -> new FileMetadata(checksums, new FileMetadataBytes()).encodeAll());
    }

    private long encodedBytes() {
        return HEADER_BYTES
                + (long) RUN_BYTES * bytes.runs().size()
                + bytes.sizeBytes()
                + Integer.BYTES
                + checksums.length
                + Integer.BYTES;
    }

    private byte[] encodeAll() {
        Map<Long, byte[]> runs = bytes.runs();
        ByteBuffer out =
                ByteBuffer.allocate(Math.toIntExact(encodedBytes())).order(ByteOrder.LITTLE_ENDIAN);
        out.put(MAGIC).putInt(runs.size());
        runs.forEach((offset, run) -> out.putLong(offset).putInt(run.length).put(run));
        out.putInt(checksums.length).put(checksums);
        out.putInt(FileChecksums.crc(out.array(), 0, out.position()));
        return out.array();
    }

    /** Whether this has only checksums. */
    public boolean isChecksumsAlone() {
        return bytes.sizeBytes() == 0;
    }

    /**
     * Decodes the checksums.
     *
     * @param path of the column file
     * @param fileBytes size of the column file
     * @param place of the metadata, for messages
     * @throws io.stele.protocol.SteleException CORRUPT_DATA if they do not match a file of this
     *     size
     */
    public FileChecksums checksums(String path, long fileBytes, String place) {
        return FileChecksums.decode(path, fileBytes, place, checksums);
    }

    /**
     * Decodes metadata, and checks that it matches a file of {@code fileBytes} bytes.
     *
     * @param place of the metadata, for messages
     * @throws io.stele.protocol.SteleException CORRUPT_DATA if it is damaged or does not match
     */
    public static FileMetadata decode(String place, byte[] encoded, long fileBytes) {
        FileMetadata found = decode(place, encoded);
        if (!found.isChecksumsAlone() && found.bytes.end() != fileBytes) {
            throw Corruption.mismatch(
                    "metadata of " + place, 0, "size of the file", fileBytes, found.bytes.end());
        }
        return found;
    }

    /**
     * Decodes metadata.
     *
     * @param path of the file, for messages
     * @throws io.stele.protocol.SteleException CORRUPT_DATA if it was not made by {@link #encode}
     */
    public static FileMetadata decode(String path, byte[] encoded) {
        String what = "metadata of " + path;
        if (encoded.length < HEADER_BYTES + 2 * Integer.BYTES) {
            throw Corruption.mismatch(
                    what, 0, "size", HEADER_BYTES + 2 * Integer.BYTES, encoded.length);
        }
        ByteBuffer in = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
        int last = encoded.length - Integer.BYTES;
        int expected = in.getInt(last);
        int found = FileChecksums.crc(encoded, 0, last);
        if (expected != found) {
            throw Corruption.checksum(what, last, expected, found);
        }
        byte[] magic = next(in, MAGIC.length);
        if (!Arrays.equals(magic, MAGIC)) {
            HexFormat hex = HexFormat.of();
            throw Corruption.mismatch(what, 0, "magic", hex.formatHex(MAGIC), hex.formatHex(magic));
        }
        FileMetadataBytes bytes = new FileMetadataBytes();
        int runs = in.getInt();
        if (runs < 0) {
            throw Corruption.mismatch(what, MAGIC.length, "runs >=", 0, runs);
        }
        for (int run = 0; run < runs; run++) {
            require(what, in, RUN_BYTES);
            long offset = in.getLong();
            if (offset < bytes.end()) {
                throw Corruption.mismatch(what, in.position(), "offset from", bytes.end(), offset);
            }
            bytes.add(offset, next(what, in));
        }
        byte[] checksums = next(what, in);
        if (in.position() != last) {
            throw Corruption.mismatch(what, in.position(), "end at", last, in.position());
        }
        return new FileMetadata(checksums, bytes);
    }

    private static byte[] next(String what, ByteBuffer in) {
        require(what, in, Integer.BYTES);
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw Corruption.mismatch(
                    what, in.position(), "length of at most", in.remaining(), length);
        }
        return next(in, length);
    }

    private static void require(String what, ByteBuffer in, int length) {
        if (in.remaining() < length) {
            throw Corruption.mismatch(
                    what, in.position(), "bytes from here, at least", length, in.remaining());
        }
    }

    private static byte[] next(ByteBuffer in, int length) {
        byte[] found = new byte[length];
        in.get(found);
        return found;
    }
}
