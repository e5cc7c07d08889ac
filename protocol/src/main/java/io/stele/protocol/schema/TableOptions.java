package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The options of a table, in addition to columns and keys, all of which can be changed later.
 *
 * @param retentionMillis the time in milliseconds for which obsolete and deleted versions stay
 *     readable; empty: the sidecar's default
 * @param timeToLiveMillis age of a row's last write at which the row expires, in milliseconds;
 *     empty: never
 * @param segmentKey column ids, usually of the event time: files are split by it, and their
 *     statistics have its range
 * @param bitmapColumns column ids with a bitmap index in every column file
 * @param dictionaryColumns ids of text columns that are always dictionary-encoded
 * @param indexes secondary indexes
 * @param timeToLiveSteps the present and earlier times to live, oldest first; maintained by the
 *     catalog, and empty if there never was one
 * @param compression of new files; empty: {@link FileCompression#LZ4}
 */
public record TableOptions(
        @JsonProperty("retentionMillis") OptionalLong retentionMillis,
        @JsonProperty("timeToLiveMillis") OptionalLong timeToLiveMillis,
        @JsonProperty("segmentKey") List<Integer> segmentKey,
        @JsonProperty("bitmapColumns") List<Integer> bitmapColumns,
        @JsonProperty("dictionaryColumns") List<Integer> dictionaryColumns,
        @JsonProperty("indexes") List<IndexSchema> indexes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("timeToLiveSteps")
                List<TimeToLiveStep> timeToLiveSteps,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("compression")
                Optional<FileCompression> compression) {
    /** The default options. */
    public static final TableOptions NONE =
            new TableOptions(
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of());

    /** The most indexes of a table: every write changes all of them. */
    public static final int MAX_INDEXES = 64;

    /** The longest retention and time to live: 100 years. */
    public static final long MAX_MILLIS = 100L * 366 * 24 * 3_600_000;

    /** The most stored steps: earlier ones matter only to readers at very old snapshots. */
    public static final int MAX_TIME_TO_LIVE_STEPS = 16;

    public TableOptions {
        requireNonNull(retentionMillis, "retentionMillis is null");
        requireNonNull(timeToLiveMillis, "timeToLiveMillis is null");
        segmentKey = List.copyOf(segmentKey);
        bitmapColumns = List.copyOf(bitmapColumns);
        dictionaryColumns = List.copyOf(dictionaryColumns);
        indexes = List.copyOf(indexes);
        // Catalogs of earlier versions have no such field
        timeToLiveSteps = List.copyOf(requireNonNullElse(timeToLiveSteps, List.of()));
        requireNonNull(compression, "compression is null");
        checkMillis("retention", 0, retentionMillis);
        checkMillis("time_to_live", 1, timeToLiveMillis);
        check(indexes.size() <= MAX_INDEXES, "at most " + MAX_INDEXES + " indexes", indexes.size());
        Set<Integer> ids = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (IndexSchema index : indexes) {
            check(ids.add(index.id()), "unique index ids", "id " + index.id() + " twice");
            check(names.add(index.name()), "unique index names", "'" + index.name() + "' twice");
        }
    }

    /** Options with a time to live that never changed, and the default compression. */
    public TableOptions(
            OptionalLong retentionMillis,
            OptionalLong timeToLiveMillis,
            List<Integer> segmentKey,
            List<Integer> bitmapColumns,
            List<Integer> dictionaryColumns,
            List<IndexSchema> indexes) {
        this(
                retentionMillis,
                timeToLiveMillis,
                segmentKey,
                bitmapColumns,
                dictionaryColumns,
                indexes,
                List.of(),
                Optional.empty());
    }

    /** Whether rows expire, or ever did. */
    public boolean expires() {
        return !timeToLiveSteps.isEmpty();
    }

    /**
     * The LSN below which rows have expired for a reader. It rises with the reader's LSN, and never
     * depends on the time of the call. 0 if rows do not expire.
     *
     * @param readLsn of the reader; must not be {@code Long.MAX_VALUE}, which has no time
     */
    public long firstVisibleLsn(long readLsn) {
        return firstVisibleLsn(readLsn, readLsn);
    }

    /**
     * The LSN below which rows have expired for a reader, if expiry is evaluated at an earlier LSN:
     * rows that have not expired by then are visible.
     *
     * @param expiryLsn the LSN of the evaluation; no effect if it is above the reader's LSN
     */
    public long firstVisibleLsn(long readLsn, long expiryLsn) {
        if (timeToLiveSteps.isEmpty()) {
            return 0;
        }
        if (readLsn == Long.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "Expected the LSN of a reader of rows that expire, found the highest of all");
        }
        TimeToLiveStep effective = timeToLiveSteps.get(0);
        for (TimeToLiveStep step : timeToLiveSteps) {
            if (step.since().value() <= readLsn) {
                effective = step;
            }
        }
        return Math.max(0, effective.firstVisibleLsn(Math.min(readLsn, expiryLsn)));
    }

    /**
     * The LSN below which rows may be removed permanently if no reader is below {@code readLsn}. It
     * equals {@link #firstVisibleLsn(long)}, but is lower while the time to live is in doubt.
     */
    public long firstRetainedLsn(long readLsn) {
        long retained = firstVisibleLsn(readLsn);
        for (TimeToLiveStep step : timeToLiveSteps) {
            // Rows that a later step has not found expired may be visible again
            if (step.since().value() > readLsn) {
                retained = Math.min(retained, Math.max(0, step.floor().value()));
            }
        }
        if (timeToLiveIsInDoubt()) {
            // Rows that were not expired by then may be visible again when the doubt ends
            TimeToLiveStep doubt = timeToLiveSteps.get(timeToLiveSteps.size() - 1);
            retained = Math.min(retained, Math.max(0, doubt.floor().value()));
        }
        return retained;
    }

    /**
     * Whether a catalog version that may have changed the time to live was given up, and the time
     * to live was not set since.
     */
    public boolean timeToLiveIsInDoubt() {
        int count = timeToLiveSteps.size();
        return count > 1
                && timeToLiveSteps.get(count - 1).millis()
                        == timeToLiveSteps.get(count - 2).millis();
    }

    /**
     * Marks the time to live as in doubt from an LSN on, if rows expire.
     *
     * @param known an LSN up to which this time to live was certainly in force. Rows that had
     *     expired by then never return, because their deletions may have been removed with them
     */
    public TableOptions doubtTimeToLive(Lsn since, Lsn known) {
        if (timeToLiveMillis.isEmpty() || timeToLiveSteps.isEmpty() || timeToLiveIsInDoubt()) {
            return this;
        }
        TimeToLiveStep last = timeToLiveSteps.get(timeToLiveSteps.size() - 1);
        long floor = Math.max(last.floor().value(), last.firstVisibleLsn(known.value()));
        return withTimeToLiveSteps(
                appended(
                        timeToLiveSteps, new TimeToLiveStep(since, last.millis(), new Lsn(floor))));
    }

    private static List<TimeToLiveStep> appended(List<TimeToLiveStep> steps, TimeToLiveStep next) {
        List<TimeToLiveStep> all = new ArrayList<>(steps);
        if (all.size() == MAX_TIME_TO_LIVE_STEPS) {
            all.remove(0);
        }
        all.add(next);
        return all;
    }

    /** The steps of a new table. */
    public TableOptions beginTimeToLive() {
        return withTimeToLiveSteps(
                timeToLiveMillis.isPresent()
                        ? List.of(
                                new TimeToLiveStep(Lsn.MIN, timeToLiveMillis.getAsLong(), Lsn.MIN))
                        : List.of());
    }

    /**
     * Adds the step of a change of the time to live, which readers at or above {@code since} see.
     *
     * @param isSet whether the change sets the time to live, perhaps to the old value, which ends a
     *     doubt
     */
    public TableOptions changeTimeToLive(TableOptions before, Lsn since, boolean isSet) {
        boolean isSame = timeToLiveMillis.equals(before.timeToLiveMillis);
        if (isSame && !isSet) {
            return withTimeToLiveSteps(before.timeToLiveSteps);
        }
        long floor = before.firstRetainedLsn(since.value()); // rows that still exist may return
        List<TimeToLiveStep> steps = new ArrayList<>(before.timeToLiveSteps);
        if (before.timeToLiveIsInDoubt()) {
            steps.remove(steps.size() - 1);
        }
        return withTimeToLiveSteps(
                isSame
                        ? steps
                        : appended(
                                steps,
                                new TimeToLiveStep(
                                        since, timeToLiveMillis.orElse(-1), new Lsn(floor))));
    }

    private TableOptions withTimeToLiveSteps(List<TimeToLiveStep> newSteps) {
        return with(draft -> draft.timeToLiveSteps = newSteps);
    }

    public TableOptions withCompression(Optional<FileCompression> newCompression) {
        return with(draft -> draft.compression = newCompression);
    }

    public TableOptions withRetentionMillis(OptionalLong newRetentionMillis) {
        return with(draft -> draft.retentionMillis = newRetentionMillis);
    }

    public TableOptions withTimeToLiveMillis(OptionalLong newTimeToLiveMillis) {
        return with(draft -> draft.timeToLiveMillis = newTimeToLiveMillis);
    }

    public TableOptions withSegmentKey(List<Integer> newSegmentKey) {
        return with(draft -> draft.segmentKey = newSegmentKey);
    }

    public TableOptions withBitmapColumns(List<Integer> newBitmapColumns) {
        return with(draft -> draft.bitmapColumns = newBitmapColumns);
    }

    public TableOptions withDictionaryColumns(List<Integer> newDictionaryColumns) {
        return with(draft -> draft.dictionaryColumns = newDictionaryColumns);
    }

    public TableOptions withIndexes(List<IndexSchema> newIndexes) {
        return with(draft -> draft.indexes = newIndexes);
    }

    private static void checkMillis(String property, long lowest, OptionalLong millis) {
        if (millis.isPresent()) {
            check(
                    millis.getAsLong() >= lowest && millis.getAsLong() <= MAX_MILLIS,
                    property + " of " + lowest + " ms to 100 years",
                    millis.getAsLong() + " ms");
        }
    }

    private TableOptions with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.build();
    }

    /** A mutable copy of the components, so that only one place copies all of them. */
    private static final class Draft {
        private OptionalLong retentionMillis;
        private OptionalLong timeToLiveMillis;
        private List<Integer> segmentKey;
        private List<Integer> bitmapColumns;
        private List<Integer> dictionaryColumns;
        private List<IndexSchema> indexes;
        private List<TimeToLiveStep> timeToLiveSteps;
        private Optional<FileCompression> compression;

        Draft(TableOptions from) {
            retentionMillis = from.retentionMillis;
            timeToLiveMillis = from.timeToLiveMillis;
            segmentKey = from.segmentKey;
            bitmapColumns = from.bitmapColumns;
            dictionaryColumns = from.dictionaryColumns;
            indexes = from.indexes;
            timeToLiveSteps = from.timeToLiveSteps;
            compression = from.compression;
        }

        TableOptions build() {
            return new TableOptions(
                    retentionMillis,
                    timeToLiveMillis,
                    segmentKey,
                    bitmapColumns,
                    dictionaryColumns,
                    indexes,
                    timeToLiveSteps,
                    compression);
        }
    }
}
