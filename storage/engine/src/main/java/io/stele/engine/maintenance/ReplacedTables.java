package io.stele.engine.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The periodic drop, from the catalog, of truncated or replaced tables whose retained history no
 * reader can read any more. Thread-safe.
 */
public final class ReplacedTables {
    private final CatalogService catalog;
    private final SnapshotRegistry snapshots;

    public ReplacedTables(CatalogService catalog, SnapshotRegistry snapshots) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
    }

    /**
     * Drops replaced tables whose retention is over and that have no readers. Predecessors are
     * reached through their successor, so a table is retained as long as its predecessors. May
     * block on the store.
     *
     * @throws io.stele.protocol.SteleException the catalog cannot be written; the caller tries
     *     again
     */
    void dropUnreadable() {
        Catalog current = catalog.current();
        List<TableId> unreadable = new ArrayList<>();
        for (TableEntry entry : current.tables()) {
            if (current.findPredecessor(entry.schema().id()).isEmpty()) {
                addUnreadable(current, entry, unreadable);
            }
        }
        if (!unreadable.isEmpty()) {
            catalog.dropReplacedTables(unreadable);
        }
    }

    private void addUnreadable(Catalog current, TableEntry oldest, List<TableId> unreadable) {
        Optional<TableEntry> next = Optional.of(oldest);
        while (next.isPresent() && isUnreadable(next.get())) {
            unreadable.add(next.get().schema().id());
            next =
                    next.get()
                            .successor()
                            .flatMap(successor -> current.findTable(successor.tableId()));
        }
    }

    /**
     * Whether no reader is before the replacement. No new reader may begin below the horizon, so
     * none begins between this check and the drop.
     */
    private boolean isUnreadable(TableEntry entry) {
        return entry.successor()
                .filter(next -> snapshots.horizon(entry.schema()).compareTo(next.lsn()) >= 0)
                .isPresent();
    }
}
