package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.objectstore.retrieval.ReadingAhead;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * An object reader for a merge, such as a compaction, that reads planned ranges in order while
 * other threads fetch the next ones. If a range has not begun when it is needed, the reader fetches
 * it itself, so that it never waits for an executor. Ranges that are not planned, or were dropped,
 * are read on request. Confined to one thread.
 *
 * <p>Invariant: of each range there is at most one fetch; room taken from {@link
 * ReadAheadBalance.Processor} is returned when the range is reached, or all at once when it is
 * closed.
 */
final class SequentialReader implements ObjectReader {
    /**
     * Ranges retained behind the position, for reads that begin in one range and end in the next.
     */
    private static final int KEPT = 2;

    /**
     * Smaller ranges are retained to the end: indexes, which are read before the data that precedes
     * them.
     */
    private static final int SMALL_BYTES = 128 << 10;

    private final ObjectReader reader;
    private final SequentialReads owner;
    private final ReadingAhead ahead;
    private final ReadAheadBalance.Processor processor;
    private final List<Fetched> ranges = new ArrayList<>(); // in the order of the plan
    private final NavigableMap<Long, Fetched> byOffset = new TreeMap<>();
    private final Deque<Fetched> touched = new ArrayDeque<>();
    private int next; // the first range whose fetch has not begun

    SequentialReader(
            ObjectReader reader,
            List<ByteRange> ranges,
            SequentialReads owner,
            ReadingAhead ahead,
            ReadAheadBalance.Processor processor) {
        this.reader = requireNonNull(reader, "reader is null");
        this.owner = requireNonNull(owner, "owner is null");
        this.ahead = requireNonNull(ahead, "ahead is null");
        this.processor = requireNonNull(processor, "processor is null");
        for (ByteRange range : ranges) {
            Fetched planned = new Fetched(range, this.ranges.size());
            Map.Entry<Long, Fetched> before = byOffset.lowerEntry(range.end());
            if (before != null && before.getValue().range.end() > range.offset()) {
                throw new IllegalArgumentException(
                        "Expected ranges that do not overlap, found %s and %s"
                                .formatted(before.getValue().range, range));
            }
            byOffset.put(range.offset(), planned);
            this.ranges.add(planned);
        }
    }

    /** A planned range, and its bytes from their fetch until they are dropped. */
    private final class Fetched {
        private final ByteRange range;
        private final int number;
        private @Nullable FutureTask<byte[]> task;
        private boolean isAhead; // has room of the balance
        private boolean isGone;

        private Fetched(ByteRange range, int number) {
            this.range = range;
            this.number = number;
        }

        private FutureTask<byte[]> begin() {
            FutureTask<byte[]> begun = new FutureTask<>(this::fetch);
            task = begun;
            return begun;
        }

        private byte[] fetch() throws IOException {
            ReadAheadBalance.Fetch fetch = ahead.balance().fetching();
            long come = 0;
            try {
                byte[] bytes = reader.read(range.offset(), range.length());
                come = bytes.length;
                return bytes;
            } finally {
                fetch.ended(come);
            }
        }

        private void reach() {
            if (isAhead) {
                isAhead = false;
                processor.reached(range.length());
            }
        }

        private void drop() {
            reach();
            isGone = true;
            FutureTask<byte[]> begun = task;
            task = null;
            if (begun != null) {
                // Not interrupted: the thread may be of a pool whose tasks others wait for
                boolean ignored = begun.cancel(false);
            }
        }
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException {
        NonBlocking.check();
        List<Fetched> wanted = length == 0 ? List.of() : covering(offset, offset + length);
        if (wanted.isEmpty()) {
            owner.waits();
            reader.read(offset, buffer, bufferOffset, length);
        }
        for (Fetched range : wanted) {
            fetchAhead(range.number);
            long from = Math.max(offset, range.range.offset());
            int count = (int) (Math.min(range.range.end(), offset + length) - from);
            copy(range, from, buffer, bufferOffset + (int) (from - offset), count);
        }
        owner.hasRead(length);
    }

    private void copy(Fetched range, long at, byte[] buffer, int bufferOffset, int count)
            throws IOException {
        if (range.isGone) {
            owner.waits();
            reader.read(at, buffer, bufferOffset, count);
            return;
        }
        owner.waits();
        byte[] bytes = await(range);
        owner.goesOn();
        touch(range);
        System.arraycopy(bytes, (int) (at - range.range.offset()), buffer, bufferOffset, count);
    }

    private byte[] await(Fetched range) throws IOException {
        range.reach();
        FutureTask<byte[]> ahead = range.task;
        if (ahead != null) {
            ahead.run(); // does nothing if it has begun
            try {
                return get(range, ahead);
            } catch (IOException past) {
                if (Thread.currentThread().isInterrupted()) {
                    throw past;
                }
                // That fetch failed some time ago: a new one may succeed now
            }
        }
        FutureTask<byte[]> own = range.begin();
        own.run();
        return get(range, own);
    }

    private static byte[] get(Fetched range, FutureTask<byte[]> task) throws IOException {
        boolean fetched = false;
        try {
            byte[] bytes = task.get();
            fetched = true;
            return bytes;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while reading " + range.range);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("Cannot read " + range.range, e.getCause());
        } finally {
            if (!fetched) {
                range.task = null; // the next request fetches it again
            }
        }
    }

    private void touch(Fetched range) {
        if (range.range.length() < SMALL_BYTES) {
            return;
        }
        touched.remove(range);
        touched.addFirst(range);
        if (touched.size() > KEPT) {
            touched.removeLast().drop();
        }
    }

    /** Begins the first fetches before the first read. */
    void begin() {
        fetchAhead(0);
    }

    /** Begins the fetches of the ranges from number {@code from} on, as far as there is room. */
    private void fetchAhead(int from) {
        next = Math.max(next, from);
        while (next < ranges.size()) {
            Fetched range = ranges.get(next);
            if (range.task == null && !range.isGone) {
                if (!processor.begin(range.range.length())) {
                    return;
                }
                range.isAhead = true;
                ahead.executor().execute(ReadAccount.carry(range.begin()));
            }
            next++;
        }
    }

    /**
     * The planned ranges that together contain all of the bytes; empty if some bytes are in none.
     */
    private List<Fetched> covering(long start, long end) {
        List<Fetched> covering = new ArrayList<>();
        long at = start;
        while (at < end) {
            Map.Entry<Long, Fetched> found = byOffset.floorEntry(at);
            if (found == null || found.getValue().range.end() <= at) {
                return List.of();
            }
            covering.add(found.getValue());
            at = found.getValue().range.end();
        }
        return covering;
    }

    void close() {
        ranges.forEach(Fetched::drop);
    }

    @Override
    public ReadTally tally() {
        return reader.tally();
    }
}
