package io.stele.engine.shard.apply;

import io.stele.engine.row.HashBucket;
import io.stele.engine.tablet.ObsoleteRows;
import io.stele.engine.wal.DurableRecord;
import io.stele.protocol.Lsn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A group of successive log records that all apply workers of a shard apply, each its own part at
 * its own pace. The shard's context hands the group to the workers, and the last of them hands it
 * back. Each worker only touches its own place here.
 */
public final class RecordGroup {
    private final List<DurableRecord> records;
    private final List<ApplyWork> work;
    private final long attempt;
    private final AtomicInteger running;
    private final List<ObsoleteRows> obsolete = new ArrayList<>(); // by worker
    private final List<Optional<Failure>> failures = new ArrayList<>(); // by worker

    /**
     * The failure that stopped a worker.
     *
     * @param place of the record, of which it applied nothing
     */
    public record Failure(int place, Exception cause) {}

    /**
     * @param work the work of the records, in their order
     * @param attempt the number of the attempt; a worker that failed in it skips its later groups
     */
    public RecordGroup(
            List<DurableRecord> records, List<ApplyWork> work, int workers, long attempt) {
        this.records = List.copyOf(records);
        this.work = List.copyOf(work);
        this.attempt = attempt;
        this.running = new AtomicInteger(workers);
        for (int worker = 0; worker < workers; worker++) {
            obsolete.add(new ObsoleteRows(new HashBucket(worker, workers)));
            failures.add(Optional.empty());
        }
    }

    public List<DurableRecord> records() {
        return records;
    }

    public List<ApplyWork> work() {
        return work;
    }

    long attempt() {
        return attempt;
    }

    public Lsn lastLsn() {
        return records.getLast().lsn();
    }

    ObsoleteRows obsolete(int worker) {
        return obsolete.get(worker);
    }

    /** A worker cannot apply a record; it must still end the group. */
    void fail(int worker, int place, Exception cause) {
        failures.set(worker, Optional.of(new Failure(place, cause)));
    }

    /**
     * A worker has finished the group.
     *
     * @return true: it is the last one
     */
    boolean end() {
        return running.decrementAndGet() == 0;
    }

    /** The failure at the first record that has one, when all workers have finished. */
    public Optional<Failure> failure() {
        return failures.stream()
                .flatMap(Optional::stream)
                .min((one, other) -> Integer.compare(one.place(), other.place()));
    }

    /** Marks the rows that the records made obsolete, when all workers have finished. */
    public void markObsolete() {
        ObsoleteRows.mark(obsolete);
    }
}
