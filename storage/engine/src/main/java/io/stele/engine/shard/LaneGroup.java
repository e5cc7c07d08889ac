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
 * Successive records that all lanes go through, each at its own pace. Given to the lanes by the
 * shard's context and back to it by the last of them; each lane only touches its own place here.
 */
final class LaneGroup {
    private final List<DurableRecord> records;
    private final List<LaneWork> work;
    private final long attempt;
    private final AtomicInteger running;
    private final List<SupersededRows> superseded = new ArrayList<>(); // by lane
    private final List<Optional<Failure>> failures = new ArrayList<>(); // by lane

    /**
     * What kept a lane from going on.
     *
     * @param place of the record that it did nothing of
     */
    record Failure(int place, Exception cause) {}

    /**
     * @param work what there is to do for the records, in their order
     * @param attempt lanes that failed in it do nothing more of it
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

    /** A lane cannot apply a record; it ends the group all the same. */
    void fail(int lane, int place, Exception cause) {
        failures.set(lane, Optional.of(new Failure(place, cause)));
    }

    /**
     * A lane is through with the group.
     *
     * @return true: it is the last one
     */
    boolean end() {
        return running.decrementAndGet() == 0;
    }

    /** The failure at the first record that has one, when all lanes are through. */
    Optional<Failure> failure() {
        return failures.stream()
                .flatMap(Optional::stream)
                .min((one, other) -> Integer.compare(one.place(), other.place()));
    }

    /** Marks the rows that the records supersede, when all lanes are through. */
    void markSuperseded() {
        SupersededRows.mark(superseded);
    }
}
