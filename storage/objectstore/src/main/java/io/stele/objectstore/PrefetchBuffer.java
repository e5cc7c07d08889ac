package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.cache.ReadAccount;
import io.stele.objectstore.retrieval.ReadingAhead;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * An object reader with prefetch into memory, for one scan of an object in a store over a network,
 * on a node without a data cache. Prefetched ranges remain in memory until they are {@link #release
 * released}, and large ones only until all of their bytes have been read. The {@link
 * ReadingAhead#memory memory} of all such readers of a store is limited; what finds no room is not
 * prefetched, and reads request it themselves.
 *
 * <p>Thread-safe: guarded by its lock, which is not held while anything is read.
 *
 * <p>Invariant: ranges in memory do not overlap. Invariant: the memory of a range is returned once,
 * when the range is dropped and its fetch has ended.
 */
public final class PrefetchBuffer implements ObjectReader {
    /** The unit in which reads of a range are recorded: smaller than a block of checksums. */
    private static final int UNIT_BYTES = 16 << 10;

    /**
     * Smaller ranges remain when they have been read: row indexes and footers, which a scan reads
     * once to find its columns and once to decode them.
     */
    private static final int SMALL_BYTES = 256 << 10;

    /** The least memory that a range is charged, so that there are at most 2,048 small ones. */
    private static final int MIN_CHARGE_BYTES = 64 << 10;

    private final ObjectReader reader;
    private final long sizeBytes;
    private final ReadingAhead ahead;
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder waits = new LongAdder();
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final NavigableMap<Long, Range> ranges = new TreeMap<>(); // by offset

    @GuardedBy("lock")
    private long retainedBytes;

    @GuardedBy("lock")
    private boolean isReleased;

    private PrefetchBuffer(ObjectReader reader, long sizeBytes, ReadingAhead ahead) {
        this.reader = requireNonNull(reader, "reader is null");
        this.sizeBytes = sizeBytes;
        this.ahead = requireNonNull(ahead, "ahead is null");
    }

    /**
     * A reader of an object that prefetches: the given one, if it does or if its store has no
     * read-ahead; else one that prefetches into memory.
     *
     * @param reader of the object; reads of one scan only
     */
    public static ObjectReader over(ObjectReader reader, long sizeBytes, ObjectStore store) {
        Optional<ReadingAhead> ahead = store.readingAhead();
        return ahead.isEmpty() || reader.isPrefetching()
                ? reader
                : new PrefetchBuffer(reader, sizeBytes, ahead.get());
    }

    /** A prefetched range. */
    private static final class Range {
        private final long offset;
        private final int length;

        /** Completes with the bytes, or with null after a failure. */
        private final CompletableFuture<byte @Nullable []> content = new CompletableFuture<>();

        private final BitSet readUnits = new BitSet(); // guarded by the lock of the reader
        private boolean isDropped; // guarded by the lock of the reader
        private boolean isEnded; // its fetch; guarded by the lock of the reader

        private Range(long offset, int length) {
            this.offset = offset;
            this.length = length;
        }

        private long end() {
            return offset + length;
        }

        private int chargeBytes() {
            return Math.max(length, MIN_CHARGE_BYTES);
        }

        /** Records a read; returns whether every byte has been read now. */
        private boolean read(long from, long to) {
            int first = Math.toIntExact(Math.ceilDiv(from - offset, (long) UNIT_BYTES));
            int end =
                    to >= end()
                            ? Math.ceilDiv(length, UNIT_BYTES)
                            : Math.toIntExact((to - offset) / UNIT_BYTES);
            if (first < end) {
                readUnits.set(first, end);
            }
            return readUnits.cardinality() == Math.ceilDiv(length, UNIT_BYTES);
        }
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        readBytes.add(length);
        long at = offset;
        long end = offset + length;
        for (Range range : covering(offset, end)) {
            long from = Math.max(at, range.offset);
            long to = Math.min(end, range.end());
            if (at < from) {
                readDirectly(offset, buffer, bufferOffset, at, from);
            }
            byte[] content = await(range);
            if (content == null) {
                readDirectly(offset, buffer, bufferOffset, from, to);
            } else {
                System.arraycopy(
                        content,
                        (int) (from - range.offset),
                        buffer,
                        bufferOffset + (int) (from - offset),
                        (int) (to - from));
            }
            hasRead(range, from, to);
            at = to;
        }
        if (at < end) {
            readDirectly(offset, buffer, bufferOffset, at, end);
        }
    }

    /** The ranges that have some of the bytes, in order. */
    private List<Range> covering(long start, long end) {
        synchronized (lock) {
            Map.Entry<Long, Range> first = ranges.floorEntry(start);
            boolean covers = first != null && first.getValue().end() > start;
            return List.copyOf(
                    ranges.subMap(covers ? first.getKey() : start, true, end, false).values());
        }
    }

    private void readDirectly(long offset, byte[] buffer, int bufferOffset, long from, long to)
            throws IOException {
        waits.increment();
        reader.read(from, buffer, bufferOffset + (int) (from - offset), (int) (to - from));
    }

    /** The bytes of a range; null if it could not be fetched, and a new request may succeed. */
    private byte @Nullable [] await(Range range) throws IOException {
        if (!range.content.isDone()) {
            NonBlocking.check();
            waits.increment();
        }
        try {
            return range.content.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while reading ahead");
        } catch (ExecutionException e) {
            throw new IllegalStateException("Expected an end without a failure", e);
        }
    }

    private void hasRead(Range range, long from, long to) {
        synchronized (lock) {
            if (range.read(from, to) && range.length >= SMALL_BYTES) {
                drop(range);
            }
        }
    }

    @GuardedBy("lock")
    private void drop(Range range) {
        if (range.isDropped) {
            return;
        }
        range.isDropped = true;
        ranges.remove(range.offset);
        if (range.isEnded) {
            giveBack(range);
        }
    }

    @GuardedBy("lock")
    private void giveBack(Range range) {
        retainedBytes -= range.chargeBytes();
        ahead.memory().giveBack(range.chargeBytes());
    }

    @Override
    public boolean isPrefetching() {
        return true;
    }

    @Override
    public CompletableFuture<Long> prefetch(long offset, long length) {
        long end = Math.min(offset + length, sizeBytes);
        if (offset < 0 || end <= offset) {
            return CompletableFuture.completedFuture(0L);
        }
        List<CompletableFuture<Long>> ends = new ArrayList<>();
        List<Range> begun = new ArrayList<>();
        synchronized (lock) {
            long at = offset;
            for (Range present : covering(offset, end)) {
                ends.add(present.content.thenApply(_ -> 0L));
                begin(at, present.offset, begun);
                at = present.end();
            }
            begin(at, end, begun);
        }
        begun.forEach(range -> ends.add(fetch(range)));
        return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
                .thenApply(_ -> ends.stream().mapToLong(CompletableFuture::join).sum());
    }

    /** Takes memory for the bytes, if they are some and there is room. */
    @GuardedBy("lock")
    private void begin(long from, long to, List<Range> begun) {
        if (to <= from || to - from > Integer.MAX_VALUE - 16 || isReleased) {
            return;
        }
        Range range = new Range(from, (int) (to - from));
        if (ahead.memory().tryTake(range.chargeBytes())) {
            retainedBytes += range.chargeBytes();
            ranges.put(from, range);
            begun.add(range);
        }
    }

    /** Begins a fetch; returns how many bytes it brings, 0 after a failure. */
    private CompletableFuture<Long> fetch(Range range) {
        try {
            ahead.executor().execute(ReadAccount.carry(() -> fetchNow(range)));
        } catch (RejectedExecutionException closing) {
            ended(range, null);
        }
        return range.content.thenApply(content -> content == null ? 0L : content.length);
    }

    private void fetchNow(Range range) {
        byte[] content = null;
        try {
            if (isWanted(range)) {
                byte[] bytes = new byte[range.length];
                reader.read(range.offset, bytes, 0, bytes.length);
                content = bytes;
            }
        } catch (IOException | RuntimeException failed) {
            // The read that needs the bytes requests them again, and reports its failure
        } finally {
            ended(range, content);
        }
    }

    private boolean isWanted(Range range) {
        synchronized (lock) {
            return !range.isDropped;
        }
    }

    private void ended(Range range, byte @Nullable [] content) {
        synchronized (lock) {
            range.isEnded = true;
            if (range.isDropped) {
                giveBack(range);
            } else if (content == null) {
                drop(range);
            }
        }
        range.content.complete(content);
    }

    @Override
    public void release(long end) {
        synchronized (lock) {
            isReleased |= end >= sizeBytes;
            for (Range range : List.copyOf(ranges.headMap(end).values())) {
                if (range.end() <= end) {
                    drop(range);
                }
            }
        }
    }

    @Override
    public long retainedBytes() {
        synchronized (lock) {
            return retainedBytes;
        }
    }

    /** What the store delivered, in the foreground and ahead. */
    @Override
    public ReadTally tally() {
        ReadTally all = reader.tally();
        return new ReadTally(readBytes.sum(), all.requests(), all.fetchedBytes(), waits.sum());
    }

    /** What the reader below had; bytes that are read again from this buffer are not counted. */
    @Override
    public long cachedBytes() {
        return reader.cachedBytes();
    }
}
