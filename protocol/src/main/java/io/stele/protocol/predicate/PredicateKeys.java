package io.stele.protocol.predicate;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The keys that a predicate lists: every combination of the values it gives to key columns. */
public final class PredicateKeys {
    /** Most keys of one lookup by primary key: beyond, files are read faster than looked into. */
    public static final int MAX_PRIMARY_KEYS = 1_000;

    private PredicateKeys() {}

    /**
     * The primary keys of all rows of interest, in the form of {@link KeyEncoder#forPrimaryKey};
     * empty where the predicate does not give every column of the primary key single values, or
     * more combinations than {@link #MAX_PRIMARY_KEYS}.
     */
    public static Optional<List<byte[]>> ofPrimaryKey(TableSchema table, ScanPredicate predicate) {
        return bindsPrimaryKey(table, predicate)
                ? of(KeyEncoder.forPrimaryKey(table), predicate, MAX_PRIMARY_KEYS)
                : Optional.empty();
    }

    /** Whether every column of the primary key has single values. */
    static boolean bindsPrimaryKey(TableSchema table, ScanPredicate predicate) {
        return table.hasPrimaryKey()
                && table.primaryKeyColumns().stream()
                        .noneMatch(column -> values(predicate, column, MAX_PRIMARY_KEYS).isEmpty());
    }

    /**
     * The keys of columns that all have single values; empty where one has not, or there are more
     * than {@code maxKeys}.
     */
    static Optional<List<byte[]>> of(KeyEncoder encoder, ScanPredicate predicate, int maxKeys) {
        List<List<Optional<byte[]>>> combinations = List.of(List.of());
        for (ColumnSchema column : encoder.columns()) {
            List<byte[]> values = values(predicate, column, maxKeys / combinations.size());
            if (values.isEmpty()) {
                return Optional.empty();
            }
            List<List<Optional<byte[]>>> longer = new ArrayList<>();
            for (List<Optional<byte[]>> combination : combinations) {
                for (byte[] value : values) {
                    List<Optional<byte[]>> parts = new ArrayList<>(combination);
                    parts.add(Optional.of(value));
                    longer.add(parts);
                }
            }
            combinations = longer;
        }
        try {
            return Optional.of(combinations.stream().map(encoder::join).toList());
        } catch (SteleException e) {
            if (e.code() == ErrorCode.KEY_TOO_LARGE) {
                return Optional.empty(); // no row has it, as a scan will find
            }
            throw e;
        }
    }

    /**
     * The values that a column may have, those of short ranges of integers and dates one by one,
     * since engines join neighbours; none where they are no list, are more than {@code maxCount},
     * or null is among them.
     */
    private static List<byte[]> values(ScanPredicate predicate, ColumnSchema column, int maxCount) {
        ColumnDomain domain = predicate.domains().get(column.id());
        if (domain == null || domain.nullAllowed()) {
            return List.of();
        }
        List<byte[]> values = new ArrayList<>();
        for (ValueRange range : domain.ranges()) {
            boolean added =
                    range.isSingle()
                            ? values.add(range.low().orElseThrow())
                            : addRange(range, column.type(), maxCount - values.size(), values);
            if (!added || values.size() > maxCount) {
                return List.of();
            }
        }
        return values;
    }

    /** Adds the values of a range; false if they cannot be listed, or are too many. */
    private static boolean addRange(
            ValueRange range, DataType type, int maxCount, List<byte[]> values) {
        if (!isCountable(type.kind()) || range.low().isEmpty() || range.high().isEmpty()) {
            return false;
        }
        ValueCodec codec = ValueCodec.of(type);
        // Of values one apart: the bounds that a range excludes are cut off without an overflow
        long low = codec.decodeLong(range.low().get());
        long high = codec.decodeLong(range.high().get());
        long count = high - low + 1; // negative where it does not fit a long
        if (high < low || count <= 0 || count > maxCount + 2L) {
            return false;
        }
        for (long step = range.lowInclusive() ? 0 : 1;
                step < (range.highInclusive() ? count : count - 1);
                step++) {
            values.add(codec.encodeLong(low + step));
        }
        return true;
    }

    private static boolean isCountable(TypeKind kind) {
        return switch (kind) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE -> true;
            case BOOLEAN,
                    REAL,
                    DOUBLE,
                    DECIMAL,
                    VARCHAR,
                    CHAR,
                    VARBINARY,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMP_WITH_TIME_ZONE,
                    UUID,
                    JSON,
                    ARRAY,
                    MAP,
                    ROW ->
                    false;
        };
    }
}
