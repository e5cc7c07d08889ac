package io.stele.engine;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableEntry;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.List;

/**
 * Tables that were truncated or replaced, and are retained while their past is read. Thread-safe.
 */
final class ReplacedTables {
    private final CatalogService catalog;
    private final ReadPoints readPoints;

    ReplacedTables(CatalogService catalog, ReadPoints readPoints) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.readPoints = requireNonNull(readPoints, "readPoints is null");
    }

    /**
     * Drops those whose retention is over, and that have no readers. May wait for the store.
     *
     * @throws io.stele.protocol.SteleException the catalog cannot be written; the caller tries
     *     again
     */
    void dropUnreadable() {
        List<TableId> unreadable = new ArrayList<>();
        for (TableEntry entry : catalog.current().tables()) {
            // No new reader may be below a horizon, so none begins between this and the drop
            entry.successor()
                    .filter(next -> readPoints.horizon(entry.schema()).compareTo(next.lsn()) >= 0)
                    .ifPresent(next -> unreadable.add(entry.schema().id()));
        }
        if (!unreadable.isEmpty()) {
            catalog.dropReplacedTables(unreadable);
        }
    }
}
