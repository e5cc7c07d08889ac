package io.stele.columnfile.metadata;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.bytes.Corruption;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.GapRule;
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
 * A reader of one stored column file that verifies {@link FileChecksums} on every read, if the file
 * has them; it reads whole checksum blocks. Immutable and thread-safe.
 */
public final class ChecksummedFile {
    /**
     * 256 KiB: up to this size, one read of all blocks and a copy cost less than separate reads of
     * the two end blocks and the middle.
     */
    private static final int COPIED_BYTES = 256 << 10;

    /**
     * Gaps of up to 512 KiB at 30 ms a request and 20 ms a MiB, and so requests of up to 1 MiB:
     * their bytes take no longer than the request itself. 64 KiB is a block of checksums; 2 MiB are
     * the memory of a helper task, several times over.
     */
    private static final GapRule GAP = new GapRule(512 << 10, 64 << 10, 2 << 20);

    /**
     * 2 MiB: at 20 ms a MiB, a longer request waits more for its bytes than for the store. Shorter
     * requests cost more than they save.
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
     * @param checksums empty for a file of a version without checksums, which is read unchecked
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
     * Opens a file and reads the checksums that are beside it.
     *
     * @param checksumBlockBytes empty if the file has no checksums beside it
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

    /** The read-ahead resources of the store; empty for a local disk. */
    public Optional<ReadingAhead> readingAhead() {
        return store.readingAhead();
    }

    /** Whether {@link #readAll} reads in parallel. */
    public boolean isParallel() {
        return ParallelReads.of(store).isParallel();
    }

    /** The reader of the stored bytes without verification. */
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
     * Reads several ranges by parallel requests: near ranges with one request, a long range with
     * several.
     *
     * @return the bytes of each range, in their order
     * @throws EOFException if the file ends before one of the ranges
     * @throws io.stele.protocol.SteleException as in {@link #read}
     */
    public List<ByteBuffer> readAll(List<ByteRange> ranges) throws IOException {
        List<RangePlanner.Planned> requests = ParallelReads.of(store).planner(GAP).merge(ranges);
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

    /** Splits a long request into parallel requests of whole blocks. */
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
                // Copy each range: a cached range must not retain the bytes between the ranges
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
     * Begins to fetch the whole blocks that a read of these bytes will need.
     *
     * @see ObjectReader#prefetch
     */
    public CompletableFuture<Long> prefetch(long position, long length) {
        long start = position / blockBytes * blockBytes;
        return reader.prefetch(start, roundUp(position + length) - start);
    }

    /** Reads any bytes through a buffer for the whole blocks around them. */
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
