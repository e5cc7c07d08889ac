package io.stele.engine.manifest.orc;

import io.stele.engine.manifest.ManifestFilter;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ValueRange;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgumentFactory;

/**
 * A translator of a {@link ManifestFilter} to an ORC search argument over the columns of {@link
 * ManifestRows}, for pruning of manifest stripes.
 *
 * <p>Invariant: the search argument is true for each entry that the filter matches.
 */
final class ManifestConditions {
    /**
     * The library brings conditions into a normal form in which alternatives multiply, up to 256.
     */
    private static final int MAX_RANGES = 4;

    private final ManifestRows rows;
    private final SearchArgument.Builder builder = SearchArgumentFactory.newBuilder().startAnd();
    private int terms;

    private ManifestConditions(ManifestRows rows) {
        this.rows = rows;
    }

    /** The search argument of a filter; empty if the filter has no condition on these columns. */
    static Optional<SearchArgument> of(ManifestFilter filter, ManifestRows rows) {
        ManifestConditions conditions = new ManifestConditions(rows);
        filter.tableId().ifPresent(id -> conditions.equalTo(ManifestRows.TABLE_ID, id.value()));
        filter.partition().ifPresent(conditions::partition);
        filter.level().ifPresent(level -> conditions.equalTo(ManifestRows.LEVEL, level));
        filter.fromKey().ifPresent(key -> conditions.nullOr(false, ManifestRows.MAX_KEY, key));
        filter.toKey().ifPresent(key -> conditions.nullOr(true, ManifestRows.MIN_KEY, key));
        filter.predicate()
                .domains()
                .forEach((id, domain) -> conditions.column(id, domain, filter.schemaVersion()));
        return conditions.terms == 0
                ? Optional.empty()
                : Optional.of(conditions.builder.end().build());
    }

    private void equalTo(String column, long value) {
        builder.equals(column, PredicateLeaf.Type.LONG, value);
        terms++;
    }

    private void partition(byte[] partition) {
        builder.equals(
                ManifestRows.PARTITION, PredicateLeaf.Type.STRING, ManifestRows.text(partition));
        terms++;
    }

    private void nullOr(boolean atMost, String column, byte[] bound) {
        builder.startOr().isNull(column, PredicateLeaf.Type.STRING);
        compare(atMost, column, bound);
        builder.end();
        terms++;
    }

    /** Adds the condition that a column is at most, or at least, a bound. */
    private void compare(boolean atMost, String column, byte[] bound) {
        String text = ManifestRows.text(bound);
        if (atMost) {
            builder.lessThanEquals(column, PredicateLeaf.Type.STRING, text);
        } else {
            builder.startNot().lessThan(column, PredicateLeaf.Type.STRING, text).end();
        }
    }

    // The condition is also true for files of other schema versions, and where bounds are unknown
    private void column(int id, ColumnDomain domain, int schemaVersion) {
        List<ValueRange> ranges = ranges(domain);
        if (!rows.isBounded(id)
                || domain.nullAllowed()
                || ranges.isEmpty()
                || ranges.stream().anyMatch(ValueRange::isAll)) {
            return;
        }
        builder.startOr()
                .isNull(ManifestRows.minOf(id), PredicateLeaf.Type.STRING)
                .startNot()
                .equals(ManifestRows.SCHEMA_VERSION, PredicateLeaf.Type.LONG, (long) schemaVersion)
                .end();
        for (ValueRange range : ranges) {
            builder.startAnd();
            range.high().ifPresent(high -> compare(true, ManifestRows.minOf(id), high));
            range.low().ifPresent(low -> compare(false, ManifestRows.maxOf(id), low));
            builder.end();
        }
        builder.end();
        terms++;
    }

    /** All ranges of a domain, or one range around them if there are many. */
    private static List<ValueRange> ranges(ColumnDomain domain) {
        List<ValueRange> ranges = domain.ranges();
        if (ranges.size() <= MAX_RANGES) {
            return ranges;
        }
        ValueRange first = ranges.getFirst();
        ValueRange last = ranges.getLast();
        return List.of(
                new ValueRange(
                        first.low(), first.lowInclusive(), last.high(), last.highInclusive()));
    }
}
