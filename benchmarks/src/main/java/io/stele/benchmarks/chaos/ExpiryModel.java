package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A model of batches of rows in a table with a time to live: rows must be there until that has
 * passed since their statement was sent, whatever the sidecar's clock shows, and may be missing
 * from then on. Confined to one thread.
 */
final class ExpiryModel {
    private final long certainNanos;
    private final BatchModel batches = new BatchModel(true);
    private final TreeMap<Long, Long> sentNanos = new TreeMap<>(); // of those that must be there

    /**
     * @param timeToLive of the table's rows
     * @param tolerance by which a row may disappear early: the jump of a clock that is followed
     */
    ExpiryModel(Duration timeToLive, Duration tolerance) {
        this.certainNanos = timeToLive.minus(tolerance).toNanos();
        if (certainNanos <= 0) {
            throw new IllegalArgumentException(
                    "Expected a time to live above %s, found %s".formatted(tolerance, timeToLive));
        }
    }

    void sent(long batch, long rows, long nowNanos) {
        batches.sent(batch, rows);
        sentNanos.put(batch, nowNanos);
    }

    void became(long batch, BatchModel.Outcome outcome) {
        batches.became(batch, outcome);
    }

    /** Takes the rows that a reader, which has ended now, found of a batch of open outcome. */
    List<String> asked(long batch, long found, long nowNanos) {
        expire(nowNanos);
        return sentNanos.containsKey(batch) ? batches.asked(batch, found) : List.of();
    }

    /**
     * The violations in the rows that a reader found.
     *
     * @param nowNanos when the reader had ended; nothing was written while it ran
     */
    List<String> check(Map<Long, BatchModel.Found> found, long nowNanos) {
        requireNonNull(found, "found is null");
        expire(nowNanos);
        return batches.check(found);
    }

    /** Batches that must be there, or whose outcome is open. */
    int youngCount() {
        return sentNanos.size();
    }

    private void expire(long nowNanos) {
        List<Long> old = new ArrayList<>();
        sentNanos.forEach(
                (batch, sent) -> {
                    if (nowNanos - sent >= certainNanos) {
                        old.add(batch);
                    }
                });
        for (long batch : old) {
            sentNanos.remove(batch);
            batches.expired(batch);
        }
    }
}
