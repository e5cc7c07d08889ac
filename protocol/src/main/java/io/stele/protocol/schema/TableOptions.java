package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What a table may have beyond columns and keys. All of it may be changed after the table was made.
 *
 * @param retentionMillis how long versions that were superseded or deleted stay readable, in
 *     milliseconds; empty: the sidecar's default
 * @param timeToLiveMillis age in milliseconds at which rows disappear; empty: never. The age is
 *     that of the segment key where there is one of a date or timestamp type, else that of the
 *     row's last write
 * @param segmentKey column ids, event time as a rule: files are cut on it and carry its range
 * @param bitmapColumns column ids with a bitmap index in every column file
 * @param dictionaryColumns ids of text columns that are always stored by dictionary
 * @param indexes secondary indexes
 */
public record TableOptions(
        @JsonProperty("retentionMillis") OptionalLong retentionMillis,
        @JsonProperty("timeToLiveMillis") OptionalLong timeToLiveMillis,
        @JsonProperty("segmentKey") List<Integer> segmentKey,
        @JsonProperty("bitmapColumns") List<Integer> bitmapColumns,
        @JsonProperty("dictionaryColumns") List<Integer> dictionaryColumns,
        @JsonProperty("indexes") List<IndexSchema> indexes) {
    /** Nothing special. */
    public static final TableOptions NONE =
            new TableOptions(
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of());

    /** Most indexes of a table: every write changes all of them. */
    public static final int MAX_INDEXES = 64;

    /** Longest retention and time to live: 100 years. */
    public static final long MAX_MILLIS = 100L * 366 * 24 * 3_600_000;

    public TableOptions {
        requireNonNull(retentionMillis, "retentionMillis is null");
        requireNonNull(timeToLiveMillis, "timeToLiveMillis is null");
        segmentKey = List.copyOf(segmentKey);
        bitmapColumns = List.copyOf(bitmapColumns);
        dictionaryColumns = List.copyOf(dictionaryColumns);
        indexes = List.copyOf(indexes);
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

    public TableOptions withRetentionMillis(OptionalLong newRetentionMillis) {
        return new TableOptions(
                newRetentionMillis,
                timeToLiveMillis,
                segmentKey,
                bitmapColumns,
                dictionaryColumns,
                indexes);
    }

    public TableOptions withTimeToLiveMillis(OptionalLong newTimeToLiveMillis) {
        return new TableOptions(
                retentionMillis,
                newTimeToLiveMillis,
                segmentKey,
                bitmapColumns,
                dictionaryColumns,
                indexes);
    }

    public TableOptions withSegmentKey(List<Integer> newSegmentKey) {
        return new TableOptions(
                retentionMillis,
                timeToLiveMillis,
                newSegmentKey,
                bitmapColumns,
                dictionaryColumns,
                indexes);
    }

    public TableOptions withBitmapColumns(List<Integer> newBitmapColumns) {
        return new TableOptions(
                retentionMillis,
                timeToLiveMillis,
                segmentKey,
                newBitmapColumns,
                dictionaryColumns,
                indexes);
    }

    public TableOptions withDictionaryColumns(List<Integer> newDictionaryColumns) {
        return new TableOptions(
                retentionMillis,
                timeToLiveMillis,
                segmentKey,
                bitmapColumns,
                newDictionaryColumns,
                indexes);
    }

    public TableOptions withIndexes(List<IndexSchema> newIndexes) {
        return new TableOptions(
                retentionMillis,
                timeToLiveMillis,
                segmentKey,
                bitmapColumns,
                dictionaryColumns,
                newIndexes);
    }

    private static void checkMillis(String property, long lowest, OptionalLong millis) {
        if (millis.isPresent()) {
            check(
                    millis.getAsLong() >= lowest && millis.getAsLong() <= MAX_MILLIS,
                    property + " of " + lowest + " ms to 100 years",
                    millis.getAsLong() + " ms");
        }
    }
}
