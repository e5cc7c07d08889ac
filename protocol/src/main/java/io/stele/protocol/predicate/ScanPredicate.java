package io.stele.protocol.predicate;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A conjunctive predicate of a scan: a row matches if all its columns are in their domains.
 * Advisory: a scan may return more rows, never fewer, and the reader filters again. Immutable.
 *
 * @param domains column id to the domain of its wanted values; a column without a domain may have
 *     any value
 */
public record ScanPredicate(@JsonProperty("domains") Map<Integer, ColumnDomain> domains) {
    /** The predicate that every row matches. */
    public static final ScanPredicate ALL = new ScanPredicate(Map.of());

    public ScanPredicate {
        domains = Map.copyOf(domains);
    }

    @JsonIgnore
    public boolean isAll() {
        return domains.isEmpty();
    }

    /** A matcher for many rows of one layout, by which scans filter. */
    public RowMatcher matcher(RowLayout layout) {
        return new RowMatcher(this, layout);
    }

    /** Whether one row matches; for more than a few rows use {@link #matcher}. */
    public boolean matches(BinaryRow row) {
        return matcher(row.rowLayout()).matches(row);
    }

    /**
     * Whether any of {@code rowCount} rows with these statistics may match; true when in doubt.
     *
     * @param stats column id to statistics; a column without any is unknown
     */
    public boolean mayMatch(Map<Integer, ColumnStats> stats, long rowCount) {
        if (rowCount == 0) {
            return false;
        }
        for (Map.Entry<Integer, ColumnDomain> domain : domains.entrySet()) {
            ColumnStats columnStats = stats.get(domain.getKey());
            if (columnStats != null && !domain.getValue().mayMatch(columnStats, rowCount)) {
                return false;
            }
        }
        return true;
    }

    /**
     * The remaining predicate for {@code rowCount} rows with these statistics. It omits each domain
     * that all rows match, nulls and NaN included.
     *
     * @param stats column id to statistics; a column without any is unknown
     */
    public ScanPredicate residual(Map<Integer, ColumnStats> stats, long rowCount) {
        Map<Integer, ColumnDomain> left = new HashMap<>();
        domains.forEach(
                (id, domain) -> {
                    if (!isCertain(id, domain, stats, rowCount)) {
                        left.put(id, domain);
                    }
                });
        return new ScanPredicate(left);
    }

    /**
     * The ids of the columns whose domain all of {@code rowCount} rows with these statistics match,
     * which {@link #residual} omits.
     */
    public List<Integer> certainColumns(Map<Integer, ColumnStats> stats, long rowCount) {
        List<Integer> certain = new ArrayList<>();
        domains.forEach(
                (id, domain) -> {
                    if (isCertain(id, domain, stats, rowCount)) {
                        certain.add(id);
                    }
                });
        certain.sort(null);
        return List.copyOf(certain);
    }

    private static boolean isCertain(
            int column, ColumnDomain domain, Map<Integer, ColumnStats> stats, long rowCount) {
        return domain.containsAll(stats.getOrDefault(column, ColumnStats.UNKNOWN), rowCount);
    }
}
