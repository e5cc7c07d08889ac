package io.stele.connector.read.cache;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.predicate.CanonicalRead;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.roaringbitmap.buffer.ImmutableRoaringBitmap;

/**
 * The key of {@link FilteredRows} in the filtered-rows cache. All its parts are immutable and named
 * by id, so a cached entry is never wrong, only unused.
 *
 * @param digest digest of the columns, with their present types and fields, and of every condition
 *     by which the scan may omit rows, except those that all rows of the file satisfy
 * @param path of the file
 * @param start of the part's first byte
 * @param deletedCount deleted rows of the file: their number determines which they are, since rows
 *     are deleted in one order
 */
record FilteredRowsKey(String digest, String path, long start, long length, long deletedCount) {
    /** The version of the meaning of cached rows. */
    private static final int FORMAT = 1;

    FilteredRowsKey {
        requireNonNull(digest, "digest is null");
        requireNonNull(path, "path is null");
    }

    /**
     * The key of a scan. Empty if its rows depend on more than the key contains: on LSNs, on their
     * location, or on lists that are too long to compare.
     *
     * @param found the domains from dynamic filters that the scan uses
     */
    static Optional<FilteredRowsKey> of(
            SteleTableHandle table,
            SteleFileSplit split,
            List<SteleColumnHandle> wanted,
            TupleDomain<SteleColumnHandle> found) {
        boolean isOfValues = wanted.stream().allMatch(column -> column.id() > 0);
        if (split.filterLsn() || !isOfValues) {
            return Optional.empty();
        }
        CanonicalRead text = new CanonicalRead(FORMAT);
        for (SteleColumnHandle column : wanted) {
            ColumnSchema schema = table.table().column(column.id());
            text.add(name(column) + " " + schema.type());
            // Other fields may have these names by now
            text.addJson(schema.fieldIds());
        }
        boolean isExact =
                addConditions(text, table, table.constraint(), split.certainColumns())
                        && addConditions(text.add("found"), table, found, List.of());
        return isExact
                ? Optional.of(
                        new FilteredRowsKey(
                                text.digest(),
                                split.path(),
                                split.start(),
                                split.length(),
                                deletedCount(split)))
                : Optional.empty();
    }

    private static boolean addConditions(
            CanonicalRead text,
            SteleTableHandle table,
            TupleDomain<SteleColumnHandle> constraint,
            List<Integer> certainColumns) {
        List<Map.Entry<SteleColumnHandle, Domain>> domains =
                constraint.getDomains().orElseThrow().entrySet().stream()
                        .sorted(Comparator.comparing(domain -> name(domain.getKey())))
                        .toList();
        for (Map.Entry<SteleColumnHandle, Domain> condition : domains) {
            SteleColumnHandle column = condition.getKey();
            boolean isCertain =
                    certainColumns.contains(column.id())
                            && ScanPredicates.isEnforceable(
                                    table.table(), column, condition.getValue());
            if (!isCertain) {
                Optional<ColumnDomain> exact =
                        ScanPredicates.exact(table.table(), column, condition.getValue());
                if (exact.isEmpty()) {
                    return false;
                }
                text.addCondition(name(column), exact.get());
            }
        }
        return true;
    }

    private static String name(SteleColumnHandle column) {
        return column.id() + column.path().toString();
    }

    private static long deletedCount(SteleFileSplit split) {
        return split.deletedRows().length == 0
                ? 0
                : new ImmutableRoaringBitmap(ByteBuffer.wrap(split.deletedRows()))
                        .getLongCardinality();
    }
}
