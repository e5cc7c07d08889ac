package io.stele.paimon.type;

import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;

/**
 * The translation of a constraint's domains to domains of a file's stored values, for pruning by
 * the file's statistics. Stateless.
 *
 * <p>Left out are {@code REAL} and {@code DOUBLE}, whose statistics may have NaN as a bound; {@code
 * CHAR}, which is stored with trailing spaces; {@code TIME}, whose unit in ORC differs from
 * trino-orc's; and columns whose type was altered.
 */
public final class FileDomains {
    private FileDomains() {}

    /**
     * The domain of a column in the file; empty: nothing can be said.
     *
     * @param table the schema of the scan
     */
    public static Optional<Domain> of(
            FileFormat format, FileColumns.Stored column, TableSchema table, Domain domain) {
        DataType file = column.file().type();
        Type stored = column.values().stored();
        if (!isAlike(file, column.wanted()) || isNested(file)) {
            return Optional.empty();
        }
        if (domain.isOnlyNull()) {
            return Optional.of(Domain.onlyNull(stored));
        }
        if (domain.getValues().isAll()) {
            return domain.isNullAllowed() ? Optional.empty() : Optional.of(Domain.notNull(stored));
        }
        if (!hasStatistics(format, file, table)) {
            return Optional.empty();
        }
        return stored.equals(domain.getType())
                ? Optional.of(domain)
                : Optional.of(
                        Domain.create(values(stored, domain.getValues()), domain.isNullAllowed()));
    }

    /** Whether trino-orc looks up values of the type in bloom filters as ORC enters them. */
    public static boolean hasOrcBloomFilter(DataType file) {
        return switch (file.getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE, VARCHAR -> true;
            default -> false;
        };
    }

    /** Whether the file has the values of a column as the scan reads them. */
    static boolean isAlike(DataType file, DataType wanted) {
        return file.equalsIgnoreNullable(wanted)
                || file.is(DataTypeRoot.VARCHAR) && wanted.is(DataTypeRoot.VARCHAR);
    }

    private static boolean isNested(DataType type) {
        return switch (type.getTypeRoot()) {
            case ARRAY, MAP, MULTISET, ROW, VECTOR, VARIANT, BLOB -> true;
            default -> false;
        };
    }

    private static boolean hasStatistics(FileFormat format, DataType type, TableSchema table) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DATE,
                    DECIMAL,
                    VARCHAR,
                    TIMESTAMP_WITHOUT_TIME_ZONE ->
                    true;
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    format == FileFormat.ORC && FileColumns.wallClock(format, table).isEmpty();
            default -> false;
        };
    }

    /** The same values under another type, which differs from theirs in its precision only. */
    private static ValueSet values(Type type, ValueSet values) {
        List<Range> ranges =
                values.getRanges().getOrderedRanges().stream()
                        .map(range -> range(type, range))
                        .toList();
        return ranges.isEmpty() ? ValueSet.none(type) : ValueSet.copyOfRanges(type, ranges);
    }

    private static Range range(Type type, Range range) {
        if (range.isLowUnbounded()) {
            Object high = range.getHighBoundedValue();
            return range.isHighInclusive()
                    ? Range.lessThanOrEqual(type, high)
                    : Range.lessThan(type, high);
        }
        Object low = range.getLowBoundedValue();
        if (range.isHighUnbounded()) {
            return range.isLowInclusive()
                    ? Range.greaterThanOrEqual(type, low)
                    : Range.greaterThan(type, low);
        }
        return Range.range(
                type,
                low,
                range.isLowInclusive(),
                range.getHighBoundedValue(),
                range.isHighInclusive());
    }
}
