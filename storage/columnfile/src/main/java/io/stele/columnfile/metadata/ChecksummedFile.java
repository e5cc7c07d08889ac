package io.stele.columnfile.metadata;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.bytes.Corruption;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.RangePlanner;
import io.stele.objectstore.retrieval.ReadingAhead;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A column file whose every read is checked, where the file has {@link FileChecksums}: what is read
 * is widened to whole blocks. Immutable and thread-safe.
 */
public final class ChecksummedFile {
    /**
     * 256 KiB: up to here one read of all blocks and a copy cost less than reads of the two blocks
     * at the ends beside that of the middle.
     */
    private static final int COPIED_BYTES = 256 << 10;

    /**
     * 512 KiB between two ranges, and 1 MiB in all: at 30 ms a request and 20 ms a MiB the bytes of
     * a request take no longer than the request itself, and the longest of several decides.
     */
    private static final RangePlanner NEAR = new RangePlanner(512 << 10, 1 << 20);

    /**
     * 2 MiB: at 20 ms a MiB, what is longer waits more for its bytes than for its requests; shorter
     * ones cost more requests than they save time.
     */
    private static final int PIECE_BYTES = 2 << 20;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final ObjectStore store;
    private final ObjectReader reader;
    private final String path;
    private final long sizeBytes;
    private final Optional<FileChecksums> checksums;
    private final int blockBytes;

    /**
     * @param checksums empty for a file of a version that wrote none, which is read unchecked
     */
    public ChecksummedFile(
            ObjectStore store, String path, long sizeBytes, Optional<FileChecksums> checksums)
            throws IOException {
        this(store, store.open(path, sizeBytes), path, sizeBytes, checksums);
    }

    /**
     * @param reader of the file, opened in the store
     */
    public ChecksummedFile(
            ObjectStore store,
            ObjectReader reader,
            String path,
            long sizeBytes,
            Optional<FileChecksums> checksums) {
        this.store = requireNonNull(store, "store is null");
        this.path = requireNonNull(path, "path is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.sizeBytes = sizeBytes;
        this.checksums = requireNonNull(checksums, "checksums is null");
        this.blockBytes = checksums.map(FileChecksums::blockBytes).orElse(1);
        if (checksums.isPresent() && checksums.get().fileBytes() != sizeBytes) {
            throw new IllegalArgumentException(
                    "Expected checksums of %d bytes, found those of %d for %s"
                            .formatted(sizeBytes, checksums.get().fileBytes(), path));
        }
    }

    /**
     * A file and its checksums, which are read.
     *
     * @param checksumBlockBytes empty if it has none
     */
    public static ChecksummedFile open(
            ObjectStore store, String path, long sizeBytes, OptionalInt checksumBlockBytes)
            throws IOException {
        return new ChecksummedFile(
                store,
                path,
                sizeBytes,
                checksumBlockBytes.isPresent()
                        ? Optional.of(
                                FileChecksums.load(
                                        store, path, sizeBytes, checksumBlockBytes.getAsInt()))
                        : Optional.empty());
    }

    /** The same file, read by another reader of the same object. */
    public ChecksummedFile through(ObjectReader other) {
        return new ChecksummedFile(store, other, path, sizeBytes, checksums);
    }

    /** Reads are widened to blocks of this many bytes. */
    public int blockBytes() {
        return blockBytes;
    }

    public String path() {
        return path;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    /** What its store has for reads ahead; empty for a local disk. */
    public Optional<ReadingAhead> readingAhead() {
        return store.readingAhead();
    }

    /** Whether {@link #readAll} reads side by side. */
    public boolean isParallel() {
        return ParallelReads.of(store).isParallel();
    }

    /** The file as it lies in the store, unchecked. */
    public ObjectReader unchecked() {
        return reader;
    }

    /**
     * Reads exactly {@code length} bytes at {@code position} into {@code buffer}.
     *
     * @throws EOFException if the file ends before
     * @throws io.stele.protocol.SteleException CORRUPT_DATA with the offset of the block and both
     *     checksums
     */
    public void read(long position, byte[] buffer, int offset, int length) throws IOException {
        if (checksums.isEmpty()) {
            reader.read(position, buffer, offset, length);
            return;
        }
        if (position < 0 || position + length > sizeBytes) {
            throw new EOFException(
                    "Expected a read within %d bytes, found %d bytes at %d of %s"
                            .formatted(sizeBytes, length, position, path));
        }
        if (length == 0) {
            return;
        }
        if (length <= COPIED_BYTES || store.isRemote()) {
            copyBlocks(position, buffer, offset, length);
            return;
        }
        int head = (int) (roundUp(position) - position);
        int tail = endsBlock(position + length) ? 0 : (int) ((position + length) % blockBytes);
        int middle = length - head - tail;
        if (head > 0) {
            copyBlocks(position, buffer, offset, head);
        }
        readBlocks(position + head, buffer, offset + head, middle);
        if (tail > 0) {
            copyBlocks(position + head + middle, buffer, offset + head + middle, tail);
        }
    }

    /**
     * Reads several ranges: near ones with one request, long ones with several, the requests side
     * by side.
     *
     * @return the bytes of each range, in their order
     * @throws EOFException if the file ends before one of them does
     * @throws io.stele.protocol.SteleException as in {@link #read}
     */
    public List<ByteBuffer> readAll(List<ByteRange> ranges) throws IOException {
        List<RangePlanner.Planned> requests = NEAR.merge(ranges);
        List<ByteBuffer> results = new ArrayList<>(Collections.nCopies(ranges.size(), EMPTY));
        List<ParallelReads.Read> reads = new ArrayList<>(requests.size());
        for (RangePlanner.Planned request : requests) {
            byte[] bytes = new byte[request.range().length()];
            List<ByteRange> pieces = pieces(request.range());
            AtomicInteger missing = new AtomicInteger(pieces.size());
            for (ByteRange piece : pieces) {
                reads.add(
                        () -> {
                            int at = (int) (piece.offset() - request.range().offset());
                            read(piece.offset(), bytes, at, piece.length());
                            if (missing.decrementAndGet() == 0) {
                                give(ranges, request, bytes, results);
                            }
                        });
            }
        }
        ParallelReads.of(store).runAll(reads);
        return results;
    }

    /** A long request by requests side by side, of whole blocks. */
    private List<ByteRange> pieces(ByteRange range) {
        if (range.length() <= 2 * PIECE_BYTES || !isParallel()) {
            return List.of(range);
        }
        List<ByteRange> pieces = new ArrayList<>();
        for (long at = range.offset(); at < range.end(); ) {
            long end = Math.min(range.end(), roundUp(at + PIECE_BYTES));
            pieces.add(new ByteRange(at, Math.toIntExact(end - at)));
            at = end;
        }
        return pieces;
    }

    private static void give(
            List<ByteRange> ranges,
            RangePlanner.Planned request,
            byte[] bytes,
            List<ByteBuffer> results) {
        synchronized (results) {
            for (int number : request.wanted()) {
                ByteRange range = ranges.get(number);
                int from = (int) (range.offset() - request.range().offset());
                // A copy of each: a cached one must not hold the bytes between the ranges
                results.set(
                        number,
                        range.length() == bytes.length
                                ? ByteBuffer.wrap(bytes)
                                : ByteBuffer.wrap(
                                        Arrays.copyOfRange(bytes, from, from + range.length())));
            }
        }
    }

    /**
     * Begins to fetch what a read of these bytes will need: the whole blocks around them.
     *
     * @see ObjectReader#prefetch
     */
    public CompletableFuture<Long> prefetch(long position, long length) {
        long start = position / blockBytes * blockBytes;
        return reader.prefetch(start, roundUp(position + length) - start);
    }

    /** Any bytes, by way of a buffer for the whole blocks around them. */
    private void copyBlocks(long position, byte[] buffer, int offset, int length)
            throws IOException {
        long start = position / blockBytes * blockBytes;
        long end = Math.min(roundUp(position + length), sizeBytes);
        if (start == position && end == position + length) {
            readBlocks(position, buffer, offset, length);
            return;
        }
        byte[] blocks = new byte[(int) (end - start)];
        readBlocks(start, blocks, 0, blocks.length);
        System.arraycopy(blocks, (int) (position - start), buffer, offset, length);
    }

    private void readBlocks(long position, byte[] buffer, int offset, int length)
            throws IOException {
        try {
            reader.read(position, buffer, offset, length);
        } catch (EOFException cut) {
            long found = store.size(path);
            throw Corruption.mismatch(path, found, "size", sizeBytes, found);
        }
        checksums.orElseThrow().verify(position, buffer, offset, length);
    }

    private boolean endsBlock(long position) {
        return position % blockBytes == 0 || position == sizeBytes;
    }

    private long roundUp(long position) {
        return (position + blockBytes - 1) / blockBytes * blockBytes;
    }
}
