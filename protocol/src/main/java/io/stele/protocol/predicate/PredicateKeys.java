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

/**
 * A computation of the keys that a predicate lists, for lookups: every combination of its values of
 * the key columns. Pure.
 */
public final class PredicateKeys {
    /**
     * The most keys of one lookup by primary key; a scan of the files is faster than more lookups.
     */
    public static final int MAX_PRIMARY_KEYS = 1_000;

    private PredicateKeys() {}

    /**
     * The primary keys of all rows that may match, in the form of {@link KeyEncoder#forPrimaryKey}.
     * Empty if the predicate does not have single values for every column of the primary key, or
     * has more than {@link #MAX_PRIMARY_KEYS} combinations.
     */
    public static Optional<List<byte[]>> ofPrimaryKey(TableSchema table, ScanPredicate predicate) {
        return bindsPrimaryKey(table, predicate)
                ? of(KeyEncoder.forPrimaryKey(table), predicate, MAX_PRIMARY_KEYS)
                : Optional.empty();
    }

    /** Whether the predicate has single values for every column of the primary key. */
    static boolean bindsPrimaryKey(TableSchema table, ScanPredicate predicate) {
        return table.hasPrimaryKey()
                && table.primaryKeyColumns().stream()
                        .noneMatch(column -> values(predicate, column, MAX_PRIMARY_KEYS).isEmpty());
    }

    /**
     * The keys of columns that all have single values; empty if a column has none, or there are
     * more than {@code maxKeys} keys.
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
                return Optional.empty(); // no row has the key, as a scan will find
            }
            throw e;
        }
    }

    /**
     * The wanted values of a column. Short ranges of integers and dates are listed value by value,
     * because engines join adjacent values to ranges. Empty if the values cannot be listed, are
     * more than {@code maxCount}, or include null.
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
        // Counts both bounds; excluded bounds are removed below without an overflow
        long low = codec.decodeLong(range.low().get());
        long high = codec.decodeLong(range.high().get());
        long count = high - low + 1; // negative if it overflows
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
