package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.RangePlanner;
import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.objectstore.retrieval.ReadingAhead;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The read-ahead of one merge, such as a compaction, over several objects, each read from its
 * beginning to its end. The next ranges are fetched while it merges, as much as the balance of the
 * store permits. The fetched bytes bypass caches, because data that is read once is not worth cache
 * space ({@link ObjectReader#admittingOnSecondAccess}). Where there is no read-ahead (a local
 * disk), the readers are returned as they are. Confined to one thread, with all of its readers.
 */
public final class SequentialReads implements AutoCloseable {
    /**
     * 1 MiB: at 30 ms a request and 20 ms a MiB, larger ranges would save little time, and several
     * ranges of several objects are in memory.
     */
    static final int RANGE_BYTES = 1 << 20;

    private static final RangePlanner PLANNER = new RangePlanner(0, RANGE_BYTES);

    private final Optional<ReadingAhead> ahead;
    private final Optional<ReadAheadBalance.Processor> processor;
    private final SequentialReads whole; // this, if it is no part
    private final List<SequentialReads> parts = new ArrayList<>();
    private final List<SequentialReader> readers = new ArrayList<>();
    private long readBytes;

    private SequentialReads(Optional<ReadingAhead> ahead) {
        this.ahead = requireNonNull(ahead, "ahead is null");
        this.processor = ahead.map(present -> present.balance().open());
        this.whole = this;
    }

    private SequentialReads(SequentialReads whole) {
        this.ahead = whole.ahead;
        this.processor = whole.processor;
        this.whole = whole;
    }

    /** The read-ahead of a merge of objects of a store. */
    public static SequentialReads of(ObjectStore store) {
        return new SequentialReads(store.readingAhead());
    }

    /**
     * The reads of some of the objects, which {@link #forget} of the part frees before the others.
     * They end with these reads.
     */
    public SequentialReads part() {
        SequentialReads part = new SequentialReads(whole);
        whole.parts.add(part);
        return part;
    }

    /**
     * A reader of the same object for reads in the planned order.
     *
     * @param plan the ranges that will be read, in the order of the reads, without overlaps
     */
    public ObjectReader over(ObjectReader reader, List<ByteRange> plan) {
        if (ahead.isEmpty()) {
            return reader;
        }
        List<ByteRange> ranges = new ArrayList<>();
        plan.forEach(range -> ranges.addAll(PLANNER.split(range)));
        SequentialReader sequential =
                new SequentialReader(
                        reader.admittingOnSecondAccess(),
                        ranges,
                        whole,
                        ahead.get(),
                        processor.orElseThrow());
        readers.add(sequential);
        return sequential;
    }

    /** Begins to fetch the first ranges of the readers so far, as much as the balance permits. */
    public void begin() {
        readers.forEach(SequentialReader::begin);
    }

    /** The merge pauses: it waits for the store. */
    void waits() {
        processor.ifPresent(present -> present.waits(readBytes));
    }

    /** The merge continues. */
    void goesOn() {
        processor.ifPresent(ReadAheadBalance.Processor::resumes);
    }

    /** Counts {@code bytes} more bytes as read. */
    void hasRead(long bytes) {
        goesOn();
        readBytes += bytes;
    }

    /**
     * Cancels the fetches in flight, and frees all memory of the readers so far, which must not be
     * used any more. For a caller that reads one object after the other.
     */
    public void forget() {
        parts.forEach(SequentialReads::forget);
        readers.forEach(SequentialReader::close);
        readers.clear();
    }

    /**
     * Cancels the fetches in flight, frees all memory, and, if it is no part, leaves the balance of
     * the store; this must not be used any more.
     */
    @Override
    public void close() {
        forget();
        if (whole == this) {
            processor.ifPresent(ReadAheadBalance.Processor::close);
        }
    }
}
