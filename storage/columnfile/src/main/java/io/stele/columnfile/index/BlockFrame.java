package io.stele.columnfile.index;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.lz4.Lz4JavaDecompressor;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import io.stele.columnfile.bytes.ByteSink;
import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.bytes.LittleEndian;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The codec of the frame (codec, lengths and checksum) around every block of a block file.
 *
 * <pre>
 * codec 1 | raw length 4 | stored length 4 | stored bytes | CRC32C 4
 * </pre>
 *
 * The checksum covers the block's own offset in the file (8 bytes, not stored) and every byte of
 * the frame before it, so that damaged and misplaced blocks are detected. Numbers are
 * little-endian. A payload that compression does not shrink by an eighth is stored uncompressed.
 */
final class BlockFrame {
    static final int HEADER = 9;
    static final int OVERHEAD = HEADER + 4;

    /**
     * 256 MiB: far above any written block, so that a wrong length fails before memory is
     * allocated.
     */
    static final int MAX_RAW_LENGTH = 1 << 28;

    private BlockFrame() {}

    /**
     * Appends the frame of {@code raw} to {@code sink}; the frame will lie at {@code fileOffset}.
     * Returns its length.
     *
     * @param compressor of {@code compression}; null: NONE
     */
    static int encode(
            @Nullable Compressor compressor,
            long fileOffset,
            byte[] raw,
            int rawLength,
            Compression compression,
            ByteSink sink) {
        if (rawLength > MAX_RAW_LENGTH) {
            throw new IllegalArgumentException(
                    "Expected a block of at most " + MAX_RAW_LENGTH + " bytes, found " + rawLength);
        }
        ByteSink packed =
                compression == Compression.PACKED ? PackedEntries.pack(raw, rawLength) : null;
        int start = sink.size();
        sink.ensure(OVERHEAD + rawLength);
        sink.advance(HEADER);
        Compression used = compression;
        int storedLength = rawLength;
        if (packed != null && packed.size() <= rawLength / 2) {
            storedLength = packed.size();
            sink.writeBytes(packed.array(), 0, storedLength);
        } else if (compressor != null) {
            used = compression == Compression.PACKED ? Compression.LZ4 : compression;
            sink.ensure(compressor.maxCompressedLength(rawLength));
            storedLength =
                    compressor.compress(
                            raw,
                            0,
                            rawLength,
                            sink.array(),
                            sink.size(),
                            sink.array().length - sink.size());
            if (packed != null && packed.size() < storedLength) {
                used = Compression.PACKED;
                storedLength = packed.size();
                System.arraycopy(packed.array(), 0, sink.array(), sink.size(), storedLength);
            }
            if (storedLength > rawLength - rawLength / 8) {
                used = Compression.NONE;
                storedLength = rawLength;
                System.arraycopy(raw, 0, sink.array(), sink.size(), rawLength);
            }
            sink.advance(storedLength);
        } else {
            sink.writeBytes(raw, 0, rawLength);
        }
        byte[] bytes = sink.array();
        bytes[start] = (byte) used.code();
        LittleEndian.putInt(bytes, start + 1, rawLength);
        LittleEndian.putInt(bytes, start + 5, storedLength);
        sink.writeInt(checksum(fileOffset, sink.array(), start, HEADER + storedLength));
        return sink.size() - start;
    }

    /**
     * Verifies the frame in {@code bytes[offset, offset + length)} that was read from {@code
     * fileOffset}; returns its payload.
     */
    static byte[] decode(String path, long fileOffset, byte[] bytes, int offset, int length) {
        if (length < OVERHEAD) {
            throw Corruption.mismatch(
                    path, fileOffset, "block of at least", OVERHEAD + " bytes", length);
        }
        int expected = checksum(fileOffset, bytes, offset, length - 4);
        int found = LittleEndian.getInt(bytes, offset + length - 4);
        if (expected != found) {
            throw Corruption.checksum(path, fileOffset, found, expected);
        }
        int rawLength = LittleEndian.getInt(bytes, offset + 1);
        int storedLength = LittleEndian.getInt(bytes, offset + 5);
        if (storedLength != length - OVERHEAD) {
            throw Corruption.mismatch(
                    path, fileOffset, "stored length", length - OVERHEAD, storedLength);
        }
        if (rawLength < 0 || rawLength > MAX_RAW_LENGTH) {
            throw Corruption.mismatch(
                    path, fileOffset, "raw length in", "[0, " + MAX_RAW_LENGTH + "]", rawLength);
        }
        int codec = bytes[offset];
        if (codec == Compression.PACKED.code()) {
            return PackedEntries.unpack(
                    path, fileOffset, bytes, offset + HEADER, storedLength, rawLength);
        }
        byte[] raw = new byte[rawLength];
        if (codec == Compression.NONE.code()) {
            if (rawLength != storedLength) {
                throw Corruption.mismatch(path, fileOffset, "raw length", storedLength, rawLength);
            }
            System.arraycopy(bytes, offset + HEADER, raw, 0, rawLength);
        } else if (codec == Compression.LZ4.code()) {
            decompress(
                    new Lz4JavaDecompressor(),
                    path,
                    fileOffset,
                    bytes,
                    offset + HEADER,
                    storedLength,
                    raw);
        } else if (codec == Compression.ZSTD.code()) {
            decompress(
                    new ZstdJavaDecompressor(),
                    path,
                    fileOffset,
                    bytes,
                    offset + HEADER,
                    storedLength,
                    raw);
        } else {
            throw Corruption.mismatch(path, fileOffset, "block codec in", "[0, 3]", codec);
        }
        return raw;
    }

    private static void decompress(
            Decompressor decompressor,
            String path,
            long fileOffset,
            byte[] bytes,
            int offset,
            int length,
            byte[] raw) {
        int produced;
        try {
            produced = decompressor.decompress(bytes, offset, length, raw, 0, raw.length);
        } catch (MalformedInputException e) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "a valid",
                    "compressed block",
                    String.valueOf(e.getMessage()));
        }
        if (produced != raw.length) {
            throw Corruption.mismatch(path, fileOffset, "raw length", raw.length, produced);
        }
    }

    private static int checksum(long fileOffset, byte[] bytes, int offset, int length) {
        byte[] place = new byte[8];
        LittleEndian.putLong(place, 0, fileOffset);
        CRC32C crc = new CRC32C();
        crc.update(place, 0, 8);
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
