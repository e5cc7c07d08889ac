package io.stele.connector.read.cache;

import static java.util.Objects.requireNonNull;

import io.stele.cache.BenefitCache.Claim;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.page.EnforcingPageSource;
import io.stele.connector.read.prune.ScanConditions;
import io.stele.connector.type.ScanPredicates;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.Optional;

/**
 * A scan of a part of a file through the filtered-rows cache: it returns cached rows, or caches the
 * rows that it reads. It never waits for another scan of the same rows, because that scan's query
 * may wait for this one, as in both sides of a join. Confined to one thread.
 */
public final class FilteredRowsScan {
    private final FilteredRowsCache cache;
    private final SteleTableHandle table;
    private final SteleFileSplit split;
    private final List<SteleColumnHandle> wanted;
    private final Reader reader;

    /** Reads columns of the split, without the row groups that are outside a constraint. */
    @FunctionalInterface
    public interface Reader {
        ConnectorPageSource read(
                List<SteleColumnHandle> columns,
                TupleDomain<SteleColumnHandle> constraint,
                MemoryContext memory);
    }

    public FilteredRowsScan(
            FilteredRowsCache cache,
            SteleTableHandle table,
            SteleFileSplit split,
            List<SteleColumnHandle> wanted,
            Reader reader) {
        this.cache = requireNonNull(cache, "cache is null");
        this.table = requireNonNull(table, "table is null");
        this.split = requireNonNull(split, "split is null");
        this.wanted = List.copyOf(wanted);
        this.reader = requireNonNull(reader, "reader is null");
    }

    /**
     * Whether the rows of a scan depend on values alone, and not, as in limits and samples, on the
     * rows that were read before.
     */
    public static boolean isPossible(FilteredRowsCache cache, SteleTableHandle table) {
        return cache.isEnabled() && table.selection().isAll() && !table.constraint().isNone();
    }

    /**
     * The filtered rows, if they are cached or will be cached by this scan; empty: the split must
     * be read as usual.
     *
     * @param found the present domains of dynamic filters
     * @param isCached whether missing rows may be cached here
     */
    public Optional<ConnectorPageSource> open(
            TupleDomain<SteleColumnHandle> found, boolean isCached, MemoryContext memory) {
        // Lists that are too long for a key exclude few row groups, so all row groups are read
        TupleDomain<SteleColumnHandle> used =
                found.filter(
                        (column, domain) ->
                                ScanPredicates.exact(table.table(), column, domain).isPresent());
        Optional<Part> exact = part(used);
        if (table.ofProcedure()) {
            // It reads the file in any case, to fill the other caches, too
            return exact.filter(part -> isCached && !cache.rows().has(part.key()))
                    .flatMap(part -> claimed(part, memory));
        }
        Optional<ConnectorPageSource> known = exact.flatMap(part -> known(part, memory));
        if (known.isEmpty() && !used.isAll()) {
            // Cached rows may include more than the join needs
            known = part(TupleDomain.all()).flatMap(part -> known(part, memory));
        }
        return known.isPresent() || !isCached
                ? known
                : exact.flatMap(part -> claimed(part, memory));
    }

    /** The split with the conditions of a scan. */
    private record Part(
            FilteredRowsKey key,
            ScanConditions conditions,
            TupleDomain<SteleColumnHandle> constraint) {}

    /**
     * Empty if no condition is left, so that all rows would be cached, or if no key describes the
     * rows.
     */
    private Optional<Part> part(TupleDomain<SteleColumnHandle> found) {
        ScanConditions conditions = ScanConditions.of(table, split).and(table, found);
        return conditions.isEmpty()
                ? Optional.empty()
                : FilteredRowsKey.of(table, split, wanted, found)
                        .map(key -> new Part(key, conditions, table.constraint().intersect(found)));
    }

    private Optional<ConnectorPageSource> known(Part part, MemoryContext memory) {
        return cache.rows().find(part.key()).map(claim -> serve(part, claim, memory));
    }

    private Optional<ConnectorPageSource> claimed(Part part, MemoryContext memory) {
        Claim<FilteredRows> claim = cache.rows().claim(part.key());
        if (claim.value() != null) {
            return Optional.of(serve(part, claim, memory));
        }
        return claim.isTask()
                ? Optional.of(record(part, Optional.empty(), memory))
                : Optional.empty();
    }

    private ConnectorPageSource serve(Part part, Claim<FilteredRows> claim, MemoryContext memory) {
        FilteredRows rows = requireNonNull(claim.value(), "value is null");
        return claim.verify()
                ? record(part, Optional.of(rows), memory)
                : new FilteredRowsPageSource(rows, claim.nanos());
    }

    private ConnectorPageSource record(
            Part part, Optional<FilteredRows> expected, MemoryContext whole) {
        RecordingPageSource.Memory memory = new RecordingPageSource.Memory(whole);
        List<SteleColumnHandle> columns = EnforcingPageSource.columns(part.conditions(), wanted);
        List<Type> types = wanted.stream().map(SteleColumnHandle::type).toList();
        boolean opened = false;
        try {
            EnforcingPageSource rows =
                    EnforcingPageSource.of(
                            part.conditions(),
                            reader.read(columns, part.constraint(), memory),
                            columns,
                            wanted.size());
            opened = true;
            return new RecordingPageSource(rows, cache, part.key(), types, expected, memory);
        } finally {
            if (!opened && expected.isEmpty()) {
                cache.rows().finish(part.key(), Optional.empty(), 0);
            }
        }
    }
}
