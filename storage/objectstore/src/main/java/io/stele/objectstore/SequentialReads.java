package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.RangePlanner;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.objectstore.retrieval.RetrievalBalance;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The read-ahead of one merge, such as a compaction, over several objects, each read from its
 * beginning to its end. The next ranges are fetched while it merges, as much as the balance of the
 * store permits. They bypass caches, which have better use for their space than data that is read
 * once ({@link ObjectReader#admittingOnSecondAccess}). Where there is no read-ahead (a local disk),
 * the readers are returned as they are. Confined to one thread, with all of its readers.
 */
public final class SequentialReads implements AutoCloseable {
    /**
     * 1 MiB: at 30 ms a request and 20 ms a MiB, most of the time is the bytes'; and several
     * objects have several of them in memory.
     */
    static final int RANGE_BYTES = 1 << 20;

    private static final RangePlanner PLANNER = new RangePlanner(0, RANGE_BYTES);

    private final Optional<ReadingAhead> ahead;
    private final Optional<RetrievalBalance.Processor> processor;
    private final List<SequentialReader> readers = new ArrayList<>();
    private long readBytes;

    private SequentialReads(Optional<ReadingAhead> ahead) {
        this.ahead = requireNonNull(ahead, "ahead is null");
        this.processor = ahead.map(present -> present.balance().open());
    }

    /** For objects of a store. */
    public static SequentialReads of(ObjectStore store) {
        return new SequentialReads(store.readingAhead());
    }

    /**
     * The same object, to be read in this order.
     *
     * @param plan what will be read, in the order in which that will be; none overlaps another
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
                        this,
                        ahead.get(),
                        processor.orElseThrow());
        readers.add(sequential);
        return sequential;
    }

    /** The merge pauses: it waits for the store. */
    void waits() {
        processor.ifPresent(present -> present.waits(readBytes));
    }

    /** The merge continues. */
    void goesOn() {
        processor.ifPresent(RetrievalBalance.Processor::resumes);
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
        readers.forEach(SequentialReader::close);
        readers.clear();
    }

    /** As {@link #forget}; it is not used any more. */
    @Override
    public void close() {
        forget();
        processor.ifPresent(RetrievalBalance.Processor::close);
    }
}
