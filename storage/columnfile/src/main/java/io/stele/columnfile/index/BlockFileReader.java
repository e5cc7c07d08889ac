package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.columnfile.bytes.ByteSource;
import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.bytes.LittleEndian;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.protocol.SteleException;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A reader of block files, the common container of SST files, key indexes and deletion vectors. It
 * verifies the header, the tail and the footer on open, and every block when it is read.
 *
 * <p>Immutable and thread-safe.
 */
public final class BlockFileReader {
    /** 64 KiB: reads tail, footer and usually the index with one request. */
    private static final int TAIL_READ = 64 << 10;

    private static final int SMALLEST =
            BlockFileWriter.HEADER_LENGTH + BlockFrame.OVERHEAD + BlockFileWriter.TAIL_LENGTH;

    private final ObjectReader reader;
    private final String path;
    private final long sizeBytes;
    private final int version;
    private final byte[] footer;
    private final BlockHandle footerHandle;

    private BlockFileReader(
            ObjectReader reader,
            String path,
            long sizeBytes,
            int version,
            byte[] footer,
            BlockHandle footerHandle) {
        this.reader = reader;
        this.path = path;
        this.sizeBytes = sizeBytes;
        this.version = version;
        this.footer = footer;
        this.footerHandle = footerHandle;
    }

    /**
     * An opened file with its last bytes, from which the caller may read more blocks.
     *
     * @param end the bytes of the file from {@code endOffset} on
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Opened(BlockFileReader file, byte[] end, long endOffset) {
        /** Whether a block is in memory. */
        boolean has(BlockHandle handle) {
            return handle.offset() >= endOffset;
        }

        /** Reads a block, from the last bytes if they contain it. */
        public byte[] readBlock(BlockHandle handle) throws IOException {
            if (!has(handle)) {
                return file.readBlock(handle);
            }
            file.requireWithin(handle.offset(), handle.length());
            int from = (int) (handle.offset() - endOffset);
            return BlockFrame.decode(file.path, handle.offset(), end, from, handle.length());
        }
    }

    /**
     * Opens a file: reads its end, and in parallel its header if the end does not include it. Makes
     * no other request to the store.
     *
     * @param sizeBytes the size according to the manifest; a shorter file is corrupt
     */
    public static Opened open(ObjectStore store, String path, long sizeBytes, FileFormat format)
            throws IOException {
        requireNonNull(store, "store is null");
        requireNonNull(path, "path is null");
        if (sizeBytes < SMALLEST) {
            throw tooSmall(path, sizeBytes, format);
        }
        int endLength = (int) Math.min(TAIL_READ, sizeBytes);
        long endOffset = sizeBytes - endLength;
        ObjectReader reader = store.open(path, sizeBytes);
        AtomicReference<byte @Nullable []> begin = new AtomicReference<>();
        AtomicReference<byte @Nullable []> read = new AtomicReference<>();
        if (endOffset == 0) {
            begin.set(readEnd(store, reader, path, sizeBytes, endLength));
            read.set(begin.get());
        } else {
            ParallelReads.of(store)
                    .runAll(
                            List.of(
                                    () ->
                                            read.set(
                                                    readEnd(
                                                            store, reader, path, sizeBytes,
                                                            endLength)),
                                    // if the file is cut short, the read of its end reports the
                                    // best error
                                    ParallelReads.hint(
                                            () ->
                                                    begin.set(
                                                            reader.read(
                                                                    0,
                                                                    BlockFileWriter
                                                                            .HEADER_LENGTH)))));
        }
        byte[] end = requireNonNull(read.get());
        byte[] known = begin.get();
        byte[] header = known != null ? known : reader.read(0, BlockFileWriter.HEADER_LENGTH);
        int version = checkHeader(path, header, format);
        return opened(reader, path, sizeBytes, end, endOffset, format, version);
    }

    /**
     * Opens a file by its end alone. The header is not verified; the tail has the same version.
     *
     * @param endBytes bytes to read of the end
     */
    static Opened openEnd(
            ObjectStore store, String path, long sizeBytes, int endBytes, FileFormat format)
            throws IOException {
        if (sizeBytes < SMALLEST) {
            throw tooSmall(path, sizeBytes, format);
        }
        int length = (int) Math.min(Math.max(endBytes, SMALLEST), sizeBytes);
        ObjectReader reader = store.open(path, sizeBytes);
        byte[] end = readEnd(store, reader, path, sizeBytes, length);
        int version = LittleEndian.getInt(end, length - BlockFileWriter.TAIL_LENGTH + 12);
        Opened opened = opened(reader, path, sizeBytes, end, sizeBytes - length, format, version);
        checkVersion(path, sizeBytes - BlockFileWriter.TAIL_LENGTH + 12, format, version);
        return opened;
    }

    private static Opened opened(
            ObjectReader reader,
            String path,
            long sizeBytes,
            byte[] end,
            long endOffset,
            FileFormat format,
            int version)
            throws IOException {
        BlockHandle handle = checkTail(path, sizeBytes, end, format, version);
        byte[] frame =
                handle.offset() >= endOffset
                        ? Arrays.copyOfRange(
                                end,
                                (int) (handle.offset() - endOffset),
                                (int) (handle.offset() - endOffset) + handle.length())
                        : reader.read(handle.offset(), handle.length());
        byte[] footer = BlockFrame.decode(path, handle.offset(), frame, 0, handle.length());
        return new Opened(
                new BlockFileReader(reader, path, sizeBytes, version, footer, handle),
                end,
                endOffset);
    }

    private static SteleException tooSmall(String path, long sizeBytes, FileFormat format) {
        return Corruption.mismatch(
                path, 0, format.description() + " of at least", SMALLEST + " bytes", sizeBytes);
    }

    private static byte[] readEnd(
            ObjectStore store, ObjectReader reader, String path, long sizeBytes, int length)
            throws IOException {
        try {
            return reader.read(sizeBytes - length, length);
        } catch (EOFException cut) {
            throw Corruption.mismatch(path, 0, "file size", sizeBytes, store.size(path));
        }
    }

    /** The same file, read by another reader of the same object. */
    BlockFileReader through(ObjectReader other) {
        return new BlockFileReader(other, path, sizeBytes, version, footer, footerHandle);
    }

    ObjectReader reader() {
        return reader;
    }

    /** The offset of the end of the blocks, exclusive. */
    long blocksEnd() {
        return footerHandle.offset();
    }

    String path() {
        return path;
    }

    /** The version of the file's format. */
    public int version() {
        return version;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** Reads the footer from its first byte. */
    public ByteSource footer() {
        return new ByteSource(path, footerHandle.offset(), footer);
    }

    byte[] readBlock(BlockHandle handle) throws IOException {
        NonBlocking.check();
        requireWithin(handle.offset(), handle.length());
        byte[] frame = reader.read(handle.offset(), handle.length());
        return BlockFrame.decode(path, handle.offset(), frame, 0, handle.length());
    }

    /**
     * Reads the stored frames of a block and of the following blocks: {@code lengthBytes} bytes, or
     * all up to the last block.
     */
    byte[] readFrom(BlockHandle handle, int lengthBytes) throws IOException {
        requireWithin(handle.offset(), handle.length());
        long rest = footerHandle.offset() - handle.offset();
        int length = (int) Math.min(rest, Math.max(lengthBytes, handle.length()));
        return reader.read(handle.offset(), length);
    }

    /** Reads two blocks, of which the second begins where the first ends, with one request. */
    byte[][] readAdjacent(BlockHandle first, BlockHandle second) throws IOException {
        NonBlocking.check();
        int length = Math.addExact(first.length(), second.length());
        requireWithin(first.offset(), length);
        byte[] frames = reader.read(first.offset(), length);
        return new byte[][] {
            BlockFrame.decode(path, first.offset(), frames, 0, first.length()),
            BlockFrame.decode(path, second.offset(), frames, first.length(), second.length())
        };
    }

    /** Reads stored bytes of the blocks, without decoding. */
    byte[] readStored(ByteRange range) throws IOException {
        NonBlocking.check();
        requireWithin(range.offset(), range.length());
        return reader.read(range.offset(), range.length());
    }

    private void requireWithin(long offset, int length) {
        if (offset < BlockFileWriter.HEADER_LENGTH || offset + length > footerHandle.offset()) {
            throw Corruption.mismatch(
                    path,
                    offset,
                    "block within",
                    "[" + BlockFileWriter.HEADER_LENGTH + ", " + footerHandle.offset() + ")",
                    length + " bytes");
        }
    }

    /** Reads a handle that {@link #writeHandle} wrote. */
    public BlockHandle readHandle(ByteSource source) {
        long offset = source.readVarint();
        int length = source.readVarint32("block length");
        if (offset < 0 || length < BlockFrame.OVERHEAD || offset + length > footerHandle.offset()) {
            throw Corruption.mismatch(
                    path,
                    footerHandle.offset(),
                    "block before",
                    footerHandle.offset(),
                    "offset " + offset + " length " + length);
        }
        return new BlockHandle(offset, length);
    }

    public static void writeHandle(ByteSink sink, BlockHandle handle) {
        sink.writeVarint(handle.offset());
        sink.writeVarint(handle.length());
    }

    /** Returns the version. */
    private static int checkHeader(String path, byte[] header, FileFormat format) {
        checkMagic(path, 0, header, 0, format);
        int found = LittleEndian.getInt(header, 12);
        int expected = BlockFileWriter.crc(header, 0, 12);
        if (expected != found) {
            throw Corruption.checksum(path, 0, found, expected);
        }
        int version = LittleEndian.getInt(header, 8);
        checkVersion(path, 8, format, version);
        return version;
    }

    private static void checkVersion(String path, long fileOffset, FileFormat format, int version) {
        boolean known = version >= format.oldestVersion() && version <= format.version();
        if (!known) {
            throw wrongVersion(path, fileOffset, format, format.version(), version);
        }
    }

    private static BlockHandle checkTail(
            String path, long sizeBytes, byte[] end, FileFormat format, int version) {
        int start = end.length - BlockFileWriter.TAIL_LENGTH;
        long tailOffset = sizeBytes - BlockFileWriter.TAIL_LENGTH;
        checkMagic(path, tailOffset + 20, end, start + 20, format);
        int found = LittleEndian.getInt(end, start + 16);
        int expected = BlockFileWriter.crc(end, start, 16);
        if (expected != found) {
            throw Corruption.checksum(path, tailOffset, found, expected);
        }
        int tailVersion = LittleEndian.getInt(end, start + 12);
        if (tailVersion != version) {
            throw wrongVersion(path, tailOffset + 12, format, version, tailVersion);
        }
        long footerOffset = LittleEndian.getLong(end, start);
        int footerLength = LittleEndian.getInt(end, start + 8);
        if (footerLength < BlockFrame.OVERHEAD
                || footerOffset < BlockFileWriter.HEADER_LENGTH
                || footerOffset + footerLength != tailOffset) {
            throw Corruption.mismatch(
                    path,
                    tailOffset,
                    "footer that ends at",
                    tailOffset,
                    footerOffset + " + " + footerLength);
        }
        return new BlockHandle(footerOffset, footerLength);
    }

    private static void checkMagic(
            String path, long fileOffset, byte[] bytes, int offset, FileFormat format) {
        byte[] found = Arrays.copyOfRange(bytes, offset, offset + 8);
        if (!Arrays.equals(format.magic(), found)) {
            throw Corruption.mismatch(
                    path,
                    fileOffset,
                    "magic of a " + format.description(),
                    java.util.HexFormat.of().formatHex(format.magic()),
                    java.util.HexFormat.of().formatHex(found));
        }
    }

    private static SteleException wrongVersion(
            String path, long fileOffset, FileFormat format, int expected, int found) {
        return Corruption.mismatch(
                path, fileOffset, format.description() + " version", expected, found);
    }
}
