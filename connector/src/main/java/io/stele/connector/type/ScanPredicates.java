package io.stele.connector.type;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import io.trino.spi.block.Block;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.SortedRangeSet;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A translator of Trino's constraints into Stele's predicates, with tests for domains that are
 * evaluated exactly. Stateless.
 */
public final class ScanPredicates {
    /**
     * A longer list of values is widened: checking it costs more than reading the rows that it
     * excludes.
     */
    private static final int MAX_RANGES = 1_000;

    /** The values of negative zero in Trino's domains of real and double. */
    private static final Set<Object> NEGATIVE_ZEROS =
            Set.of((long) Float.floatToRawIntBits(-0.0f), -0.0);

    private ScanPredicates() {}

    /**
     * Whether the storage can evaluate a domain. It cannot for types without order, nor for -0.0,
     * which equals 0.0 but is another value in domains and statistics of files.
     */
    public static boolean isPushable(TableSchema table, SteleColumnHandle column, Domain domain) {
        return column.id() > 0
                && stored(table, column).filter(DataType::isOrderable).isPresent()
                && !hasNegativeZero(domain);
    }

    /**
     * The stored type of a column, or of a field inside one; empty if the table has no such field.
     */
    public static Optional<DataType> stored(TableSchema table, SteleColumnHandle column) {
        return IdentifiedType.of(table.column(column.id()))
                .at(column.path())
                .map(IdentifiedType::type);
    }

    private static boolean hasNegativeZero(Domain domain) {
        Type type = domain.getType();
        if (type != RealType.REAL && type != DoubleType.DOUBLE) {
            return false;
        }
        return domain.getValues().getRanges().getOrderedRanges().stream()
                .anyMatch(
                        range ->
                                range.getLowValue().filter(NEGATIVE_ZEROS::contains).isPresent()
                                        || range.getHighValue()
                                                .filter(NEGATIVE_ZEROS::contains)
                                                .isPresent());
    }

    /** The predicate of a constraint that is not NONE, on the orderable columns of a table. */
    public static ScanPredicate of(TableSchema table, TupleDomain<SteleColumnHandle> constraint) {
        Map<Integer, ColumnDomain> domains = new HashMap<>();
        constraint
                .getDomains()
                .orElseThrow(() -> new IllegalArgumentException("constraint is NONE"))
                .forEach(
                        (column, domain) -> {
                            // Of fields inside columns only files have statistics
                            if (column.id() > 0 && !column.isField()) {
                                DataType stored = table.column(column.id()).type();
                                if (stored.isOrderable()) {
                                    domains.put(column.id(), domain(stored, column.type(), domain));
                                }
                            }
                        });
        return new ScanPredicate(domains);
    }

    /**
     * Whether a predicate decides for every value of a column exactly whether the domain includes
     * it.
     */
    public static boolean isExact(DataType stored, Domain domain) {
        return switch (stored.kind()) {
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DATE,
                    DECIMAL,
                    VARCHAR,
                    TIMESTAMP,
                    UUID ->
                    domain.getValues().getRanges().getRangeCount() <= MAX_RANGES;
            // NaN, padding, and values that are not distinguished are not worth the risk
            case REAL,
                    DOUBLE,
                    CHAR,
                    VARBINARY,
                    TIME,
                    TIMESTAMP_WITH_TIME_ZONE,
                    JSON,
                    ARRAY,
                    MAP,
                    ROW ->
                    false;
        };
    }

    /**
     * Whether a scan can leave out exactly the rows whose value is not in a domain. It compares the
     * values themselves, so NaN and negative zero count as in SQL.
     */
    public static boolean isEnforceable(DataType stored, Domain domain) {
        boolean isFloating = stored.kind() == TypeKind.REAL || stored.kind() == TypeKind.DOUBLE;
        return isExact(stored, domain)
                || (isFloating && domain.getValues().getRanges().getRangeCount() <= MAX_RANGES);
    }

    /**
     * Whether a scan can leave out exactly the rows whose column value is not in a domain; false
     * for a field inside a column.
     */
    public static boolean isEnforceable(
            TableSchema table, SteleColumnHandle column, Domain domain) {
        return column.id() > 0
                && !column.isField()
                && isEnforceable(table.column(column.id()).type(), domain);
    }

    /**
     * Whether the sidecar, which compares whole rows with the predicate, leaves out every row whose
     * value is not in the domain. For single values this holds for all types: equal values have
     * equal bytes, and NaN, which equals nothing, is in no domain.
     */
    public static boolean isExactInSidecar(DataType stored, Domain domain) {
        return isExact(stored, domain)
                || (stored.isOrderable()
                        && domain.isNullableDiscreteSet()
                        && domain.getValues().getRanges().getRangeCount() <= MAX_RANGES);
    }

    /**
     * As {@link #of}, narrowed by domains that were found later. For a column with too many values
     * for both, the constraint stays as it is.
     *
     * @param narrower the constraint and the domains found later, together
     */
    public static ScanPredicate narrowed(
            TableSchema table,
            TupleDomain<SteleColumnHandle> constraint,
            TupleDomain<SteleColumnHandle> narrower) {
        Map<SteleColumnHandle, Domain> fixed = constraint.getDomains().orElseThrow();
        return of(
                table,
                narrower.transformDomains(
                        (column, domain) ->
                                isLong(domain) ? fixed.getOrDefault(column, domain) : domain));
    }

    private static boolean isLong(Domain domain) {
        return domain.getType().isOrderable()
                && domain.getValues().getRanges().getRangeCount() > MAX_RANGES;
    }

    /**
     * A domain as it is, to be compared with others; empty where it has too many ranges for that.
     */
    public static Optional<ColumnDomain> exact(
            TableSchema table, SteleColumnHandle column, Domain domain) {
        return isLong(domain)
                ? Optional.empty()
                : stored(table, column).map(type -> domain(type, column.type(), domain));
    }

    /** From the set's own block: reading a range object costs five comparisons. */
    private static ColumnDomain domain(DataType stored, Type type, Domain domain) {
        SortedRangeSet values = (SortedRangeSet) domain.simplify(MAX_RANGES).getValues();
        Block bounds = values.getSortedRanges(); // low and high of one range after the other
        boolean[] inclusive = values.getInclusive();
        boolean isDiscrete = values.isDiscreteSet();
        ValueBytes bytes = new ValueBytes(stored, type);
        List<ValueRange> ranges = new ArrayList<>(values.getRangeCount());
        for (int low = 0; low < inclusive.length; low += 2) {
            int high = low + 1;
            ranges.add(
                    isDiscrete
                            ? ValueRange.equal(bytes.encode(bounds, low))
                            : new ValueRange(
                                    bound(bytes, bounds, low),
                                    inclusive[low],
                                    bound(bytes, bounds, high),
                                    inclusive[high]));
        }
        return new ColumnDomain(domain.isNullAllowed(), ranges);
    }

    private static Optional<byte[]> bound(ValueBytes bytes, Block bounds, int position) {
        return bounds.isNull(position)
                ? Optional.empty()
                : Optional.of(bytes.encode(bounds, position));
    }
}
