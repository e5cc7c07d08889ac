package io.stele.connector.read.prune;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.type.ScanPredicates;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The conditions of a scan on column values that a worker must check row by row in one file.
 * Immutable.
 *
 * @param residual domains of columns that some rows of the file may not match
 */
public record ScanConditions(Map<SteleColumnHandle, Domain> residual) {
    public ScanConditions {
        residual = new LinkedHashMap<>(requireNonNull(residual, "residual is null"));
    }

    /**
     * The conditions of an enforced scan, which no operator above checks again; none for other
     * scans.
     */
    public static ScanConditions enforced(SteleTableHandle table, List<Integer> certainColumns) {
        return table.enforced()
                ? of(table, table.constraint(), certainColumns)
                : new ScanConditions(Map.of());
    }

    /** The conditions of a split, without dynamic filters. */
    public static ScanConditions of(SteleTableHandle table, SteleFileSplit split) {
        return of(table, table.constraint(), split.certainColumns());
    }

    /**
     * @param certainColumns columns in whose domain all rows of the file are. It holds only for
     *     domains that can be evaluated exactly, so only these are left out
     */
    private static ScanConditions of(
            SteleTableHandle table,
            TupleDomain<SteleColumnHandle> constraint,
            List<Integer> certainColumns) {
        Map<SteleColumnHandle, Domain> residual = new LinkedHashMap<>();
        constraint
                .getDomains()
                .orElseThrow()
                .forEach(
                        (column, domain) -> {
                            if (ScanPredicates.isEnforceable(table.table(), column, domain)
                                    && !certainColumns.contains(column.id())) {
                                residual.put(column, domain);
                            }
                        });
        return new ScanConditions(residual);
    }

    /** These conditions and the domains that dynamic filters have found since. */
    public ScanConditions and(SteleTableHandle table, TupleDomain<SteleColumnHandle> found) {
        Map<SteleColumnHandle, Domain> both = new LinkedHashMap<>(residual);
        found.getDomains()
                .orElseThrow()
                .forEach(
                        (column, domain) -> {
                            Optional<Domain> narrowed =
                                    Optional.ofNullable(both.get(column))
                                            .map(known -> known.intersect(domain));
                            Domain wanted = narrowed.orElse(domain);
                            if (ScanPredicates.isEnforceable(table.table(), column, wanted)) {
                                both.put(column, wanted);
                            }
                        });
        return new ScanConditions(both);
    }

    public boolean isEmpty() {
        return residual.isEmpty();
    }
}
