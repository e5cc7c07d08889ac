package io.stele.benchmarks.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A model of batches of rows, each written by one statement, against which chaos clients check the
 * rows that readers find. Thread-safe: guarded by itself. Its entries are immutable.
 */
final class BatchModel {
    private final boolean whole;
    private final Map<Long, Entry> entries = new HashMap<>();

    /**
     * @param whole whether a batch is there whole or not at all; else each row for itself
     */
    BatchModel(boolean whole) {
        this.whole = whole;
    }

    /** The outcome of a batch's statement. */
    enum Outcome {
        /** Nothing yet, or nothing certain. */
        UNKNOWN,
        /** It is there. */
        ACKNOWLEDGED,
        /** It is not there, and never will be. */
        REFUSED,
        /** Uncertain, but a reader that checked afterwards found nothing. */
        ABSENT_WHEN_ASKED,
        /** Its rows may have expired, each by itself. */
        EXPIRED
    }

    private record Entry(long rows, Outcome outcome) {}

    /** Rows of a batch as a reader found them. */
    record Found(long rows, long distinctRows) {}

    synchronized void sent(long batch, long rows) {
        entries.put(batch, new Entry(rows, Outcome.UNKNOWN));
    }

    synchronized void became(long batch, Outcome outcome) {
        entries.computeIfPresent(batch, (id, entry) -> new Entry(entry.rows, outcome));
    }

    /**
     * Takes what a reader found of a batch whose outcome was not certain.
     *
     * @return what is wrong with that, or nothing
     */
    synchronized List<String> asked(long batch, long found) {
        Entry entry = entries.get(batch);
        if (entry == null) {
            throw new IllegalArgumentException("Expected a batch that was sent, found " + batch);
        }
        if (found == 0) {
            became(batch, Outcome.ABSENT_WHEN_ASKED);
        } else if (found == entry.rows) {
            became(batch, Outcome.ACKNOWLEDGED);
        } else if (whole) {
            return List.of(
                    "batch %d is there in part: %d of %d rows".formatted(batch, found, entry.rows));
        }
        return List.of();
    }

    /** From now on rows of a batch may be missing, if they were ever there. */
    synchronized void expired(long batch) {
        entries.computeIfPresent(
                batch,
                (id, entry) ->
                        switch (entry.outcome) {
                            case ACKNOWLEDGED, UNKNOWN, EXPIRED ->
                                    new Entry(entry.rows, Outcome.EXPIRED);
                            case REFUSED, ABSENT_WHEN_ASKED -> entry;
                        });
    }

    synchronized long size() {
        return entries.size();
    }

    /**
     * A copy of the present model, to compare with the rows that a reader finds if it starts now.
     */
    synchronized BatchModel copy() {
        BatchModel copy = new BatchModel(whole);
        copy.entries.putAll(entries);
        return copy;
    }

    /** The violations in the rows that a reader found, by batch. */
    synchronized List<String> check(Map<Long, Found> found) {
        List<String> wrong = new ArrayList<>();
        entries.forEach(
                (batch, entry) -> {
                    Found rows = found.getOrDefault(batch, new Found(0, 0));
                    if (!isPossible(entry, rows)) {
                        wrong.add(
                                "batch %d of %d rows, %s: found %d rows, %d of them distinct"
                                        .formatted(
                                                batch,
                                                entry.rows,
                                                entry.outcome,
                                                rows.rows,
                                                rows.distinctRows));
                    }
                });
        return wrong;
    }

    private boolean isPossible(Entry entry, Found found) {
        if (found.rows != found.distinctRows) {
            return false; // a row twice
        }
        return switch (entry.outcome) {
            case ACKNOWLEDGED -> found.rows == entry.rows;
            case REFUSED, ABSENT_WHEN_ASKED -> found.rows == 0;
            case EXPIRED -> found.rows <= entry.rows;
            case UNKNOWN ->
                    whole ? found.rows == 0 || found.rows == entry.rows : found.rows <= entry.rows;
        };
    }
}
