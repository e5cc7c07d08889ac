package io.stele.engine.shard;

import io.stele.engine.tablet.KeyLane;
import io.stele.engine.tablet.SupersededRows;
import io.stele.engine.wal.DurableRecord;
import io.stele.protocol.Lsn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Successive records that all apply workers process, each at its own pace. The shard's context
 * hands the group to the workers, and the last of them hands it back. Each worker only touches its
 * own place here.
 */
final class LaneGroup {
    private final List<DurableRecord> records;
    private final List<LaneWork> work;
    private final long attempt;
    private final AtomicInteger running;
    private final List<SupersededRows> superseded = new ArrayList<>(); // by worker
    private final List<Optional<Failure>> failures = new ArrayList<>(); // by worker

    /**
     * The failure that stopped a worker.
     *
     * @param place of the record, of which it applied nothing
     */
    record Failure(int place, Exception cause) {}

    /**
     * @param work the work of the records, in their order
     * @param attempt workers that failed in it skip the rest of it
     */
    LaneGroup(List<DurableRecord> records, List<LaneWork> work, int lanes, long attempt) {
        this.records = List.copyOf(records);
        this.work = List.copyOf(work);
        this.attempt = attempt;
        this.running = new AtomicInteger(lanes);
        for (int lane = 0; lane < lanes; lane++) {
            superseded.add(new SupersededRows(new KeyLane(lane, lanes)));
            failures.add(Optional.empty());
        }
    }

    List<DurableRecord> records() {
        return records;
    }

    List<LaneWork> work() {
        return work;
    }

    long attempt() {
        return attempt;
    }

    Lsn lastLsn() {
        return records.getLast().lsn();
    }

    SupersededRows superseded(int lane) {
        return superseded.get(lane);
    }

    /** A worker cannot apply a record; it must still end the group. */
    void fail(int lane, int place, Exception cause) {
        failures.set(lane, Optional.of(new Failure(place, cause)));
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
    Optional<Failure> failure() {
        return failures.stream()
                .flatMap(Optional::stream)
                .min((one, other) -> Integer.compare(one.place(), other.place()));
    }

    /** Marks the rows that the records made obsolete, when all workers have finished. */
    void markSuperseded() {
        SupersededRows.mark(superseded);
    }
}
