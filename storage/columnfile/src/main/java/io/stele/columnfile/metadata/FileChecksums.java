package io.stele.columnfile.metadata;

import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.bytes.LittleEndian;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.api.write.WrittenFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The CRC32C checksums of a column file, one for each block, by which reads detect damage; ORC
 * itself has no checksums of data. They are a part of the {@link FileMetadata} in the file's key
 * index, or an object beside a file without a key index. The file itself stays plain ORC.
 *
 * <pre>
 * magic 8 "STELESUM" | version 4 | block size 4 | size of the file 8
 * CRC32C 4 of each block of the file, the last of which may be shorter
 * CRC32C 4 of all before
 * </pre>
 *
 * Immutable and thread-safe.
 */
public final class FileChecksums {
    /**
     * The block size of new files. 32 KiB: a read of one column chunk of 64 KiB grows by half, and
     * the checksums are 1/8192 of the file.
     */
    public static final int BLOCK_BYTES = 32 << 10;

    static final int VERSION = 1;

    private static final byte[] MAGIC = "STELESUM".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 24;

    private final String path;
    private final long fileBytes;
    private final int blockBytes;
    private final byte[] content;

    private FileChecksums(String path, long fileBytes, int blockBytes, byte[] content) {
        this.path = path;
        this.fileBytes = fileBytes;
        this.blockBytes = blockBytes;
        this.content = content;
    }

    /**
     * Loads the checksums that are beside a column file.
     *
     * @param path of the column file
     * @param fileBytes size of the column file
     * @param blockBytes the size of its blocks, a power of two
     * @throws io.stele.protocol.SteleException CORRUPT_DATA if they do not match a file of this
     *     size
     */
    public static FileChecksums load(ObjectStore store, String path, long fileBytes, int blockBytes)
            throws IOException {
        String sumsPath = WrittenFile.checksumsPath(path);
        int expectedBytes = checkedSizeBytes(path, fileBytes, blockBytes);
        return decode(path, fileBytes, blockBytes, sumsPath, read(store, sumsPath, expectedBytes));
    }

    /**
     * Decodes the checksums of a file that are stored elsewhere.
     *
     * @param sumsPath of the checksums, for messages
     * @param content {@link ChecksummingWriter#checksums}
     * @throws io.stele.protocol.SteleException CORRUPT_DATA if they do not match a file of this
     *     size
     */
    public static FileChecksums decode(
            String path, long fileBytes, int blockBytes, String sumsPath, byte[] content) {
        int expectedBytes = checkedSizeBytes(path, fileBytes, blockBytes);
        require(sumsPath, 0, "size of the checksums", expectedBytes, content.length);
        byte[] magic = Arrays.copyOf(content, MAGIC.length);
        if (!Arrays.equals(MAGIC, magic)) {
            HexFormat hex = HexFormat.of();
            throw Corruption.mismatch(
                    sumsPath, 0, "magic", hex.formatHex(MAGIC), hex.formatHex(magic));
        }
        int last = content.length - Integer.BYTES;
        int stored = LittleEndian.getInt(content, last);
        int found = crc(content, 0, last);
        if (stored != found) {
            throw Corruption.checksum(sumsPath, last, stored, found);
        }
        require(sumsPath, 8, "version", VERSION, LittleEndian.getInt(content, 8));
        require(sumsPath, 12, "block size", blockBytes, LittleEndian.getInt(content, 12));
        require(sumsPath, 16, "size of the column file", fileBytes, getFileBytes(content));
        return new FileChecksums(path, fileBytes, blockBytes, content);
    }

    /**
     * Decodes the checksums of a file that are stored elsewhere, with the block size that they
     * contain.
     */
    public static FileChecksums decode(
            String path, long fileBytes, String sumsPath, byte[] content) {
        int blockBytes =
                content.length < HEADER_BYTES
                        ? BLOCK_BYTES // the content is too short to have one
                        : LittleEndian.getInt(content, 12);
        if (blockBytes < 1 || Integer.bitCount(blockBytes) != 1) {
            throw Corruption.mismatch(sumsPath, 12, "block size that is a power of", 2, blockBytes);
        }
        require(
                sumsPath,
                0,
                "size of the checksums",
                sizeBytes(fileBytes, blockBytes),
                content.length);
        return decode(path, fileBytes, blockBytes, sumsPath, content);
    }

    private static int checkedSizeBytes(String path, long fileBytes, int blockBytes) {
        if (fileBytes < 0 || Integer.bitCount(blockBytes) != 1 || blockBytes < 0) {
            throw new IllegalArgumentException(
                    "Expected a size of the file >= 0 and a block size that is a power of two, "
                            + "found %d and %d for %s".formatted(fileBytes, blockBytes, path));
        }
        return Math.toIntExact(sizeBytes(fileBytes, blockBytes));
    }

    private static byte[] read(ObjectStore store, String path, int expectedBytes)
            throws IOException {
        try {
            return store.open(path, expectedBytes).read(0, expectedBytes);
        } catch (EOFException cut) {
            long found = store.size(path);
            throw Corruption.mismatch(
                    path, Math.min(found, expectedBytes), "size", expectedBytes, found);
        }
    }

    /**
     * Encodes checksums of blocks of {@link #BLOCK_BYTES}.
     *
     * @param sums of the file's blocks in order
     */
    static byte[] encode(long fileBytes, int[] sums) {
        byte[] content = new byte[Math.toIntExact(sizeBytes(fileBytes, BLOCK_BYTES))];
        System.arraycopy(MAGIC, 0, content, 0, MAGIC.length);
        LittleEndian.putInt(content, 8, VERSION);
        LittleEndian.putInt(content, 12, BLOCK_BYTES);
        LittleEndian.putLong(content, 16, fileBytes);
        for (int block = 0; block < sums.length; block++) {
            LittleEndian.putInt(content, HEADER_BYTES + Integer.BYTES * block, sums[block]);
        }
        int last = content.length - Integer.BYTES;
        LittleEndian.putInt(content, last, crc(content, 0, last));
        return content;
    }

    /** The approximate memory that this holds, in bytes. */
    public long retainedBytes() {
        return content.length + 64L;
    }

    long fileBytes() {
        return fileBytes;
    }

    int blockBytes() {
        return blockBytes;
    }

    /**
     * Checks whole blocks of the file.
     *
     * @param position in the file of the first byte, a multiple of the block size
     * @param length in bytes, up to the end of a block
     */
    void verify(long position, byte[] bytes, int offset, int length) {
        for (int done = 0; done < length; done += blockBytes) {
            long start = position + done;
            int block = Math.toIntExact(start / blockBytes);
            int expected = LittleEndian.getInt(content, HEADER_BYTES + Integer.BYTES * block);
            int found = crc(bytes, offset + done, Math.min(blockBytes, length - done));
            if (expected != found) {
                throw Corruption.checksum(path, start, expected, found);
            }
        }
    }

    static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    private static long getFileBytes(byte[] content) {
        return LittleEndian.getLong(content, 16);
    }

    /** The size in bytes of the encoded checksums of a file. */
    public static long sizeBytes(long fileBytes, int blockBytes) {
        long blocks = (fileBytes + blockBytes - 1) / blockBytes;
        return HEADER_BYTES + Integer.BYTES * (blocks + 1);
    }

    private static void require(String path, long offset, String what, long expected, long found) {
        if (expected != found) {
            throw Corruption.mismatch(path, offset, what, expected, found);
        }
    }
}
