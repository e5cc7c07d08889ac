package io.stele.connector.type;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Trino's constraints as Stele's predicates. Stateless. */
public final class ScanPredicates {
    /** A longer list of values is widened: checking it costs more than the rows it keeps out. */
    private static final int MAX_RANGES = 1_000;

    private ScanPredicates() {}

    /** The predicate of a constraint that is not NONE, on the orderable columns of a table. */
    public static ScanPredicate of(TableSchema table, TupleDomain<SteleColumnHandle> constraint) {
        Map<Integer, ColumnDomain> domains = new HashMap<>();
        constraint
                .getDomains()
                .orElseThrow(() -> new IllegalArgumentException("constraint is NONE"))
                .forEach(
                        (column, domain) -> {
                            if (column.id() > 0) {
                                DataType stored = table.column(column.id()).type();
                                if (stored.isOrderable()) {
                                    domains.put(column.id(), domain(stored, column.type(), domain));
                                }
                            }
                        });
        return new ScanPredicate(domains);
    }

    private static ColumnDomain domain(DataType stored, Type type, Domain domain) {
        List<ValueRange> ranges = new ArrayList<>();
        for (Range range : domain.simplify(MAX_RANGES).getValues().getRanges().getOrderedRanges()) {
            ranges.add(
                    new ValueRange(
                            range.isLowUnbounded()
                                    ? Optional.empty()
                                    : Optional.of(
                                            NativeValues.encode(
                                                    stored, type, range.getLowBoundedValue())),
                            range.isLowInclusive(),
                            range.isHighUnbounded()
                                    ? Optional.empty()
                                    : Optional.of(
                                            NativeValues.encode(
                                                    stored, type, range.getHighBoundedValue())),
                            range.isHighInclusive()));
        }
        return new ColumnDomain(domain.isNullAllowed(), ranges);
    }
}
