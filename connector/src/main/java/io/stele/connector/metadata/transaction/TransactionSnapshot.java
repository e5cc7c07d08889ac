package io.stele.connector.metadata.transaction;

import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static java.util.Objects.requireNonNull;

import io.stele.connector.metadata.cache.MetadataCache;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.Relation;
import io.stele.connector.metadata.plan.ScanPlanCache;
import io.stele.connector.metadata.plan.TransactionPlans;
import io.stele.connector.sidecar.QuerySnapshots;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tables and views that one Trino transaction has read, each as first read, and the snapshot of
 * its scans, leased from the sidecar with the first table.
 *
 * <p>Entries that other transactions loaded are used too, once this transaction has received all
 * changes up to its own beginning. It receives them with its snapshot or, before it has one, by a
 * request. It requests changes again after each change of its own.
 *
 * <p>Guarded by itself: Trino calls it from several threads.
 */
public final class TransactionSnapshot {
    private final CatalogRequests catalog;
    private final QuerySnapshots querySnapshots;
    private final Optional<MetadataCache> cache;
    private final TransactionPlans plans;
    private final Map<SchemaTableName, Relation> relations = new HashMap<>();
    private final Set<SchemaTableName> changed = new HashSet<>(); // by this transaction
    private QuerySnapshots.@Nullable Lease snapshotLease;
    private final LongSupplier changes;
    private long heardChanges = -1; // changes() when the cache received all changes
    private boolean closed;

    /**
     * @param cache the metadata that transactions share; empty: none
     * @param plans receives the scan plans of the snapshot's reply
     * @param changes the number of changes that this transaction may have made
     */
    public TransactionSnapshot(
            CatalogRequests catalog,
            QuerySnapshots querySnapshots,
            Optional<MetadataCache> cache,
            TransactionPlans plans,
            LongSupplier changes) {
        this.plans = requireNonNull(plans, "plans is null");
        this.changes = requireNonNull(changes, "changes is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.querySnapshots = requireNonNull(querySnapshots, "querySnapshots is null");
        this.cache = requireNonNull(cache, "cache is null");
    }

    /** Releases the snapshot; nothing can be read afterwards. */
    public void close() {
        QuerySnapshots.@Nullable Lease lease;
        synchronized (this) {
            closed = true;
            lease = snapshotLease;
            snapshotLease = null;
        }
        plans.close();
        if (lease != null) {
            lease.close();
        }
    }

    /** The plans of scans at {@link #snapshotLease}. */
    public TransactionPlans plans() {
        return plans;
    }

    /** The table as this transaction first saw it. */
    public Optional<TableDescription> findTable(SchemaTableName name) {
        return find(name).table();
    }

    /** The view of a kind as this transaction first saw it. */
    public Optional<ViewSchema> findView(SchemaTableName name, boolean materialized) {
        return find(name).view().filter(view -> view.isMaterialized() == materialized);
    }

    /** The statistics of the files of a table that may have rows of a predicate. */
    public TableStatistics statistics(TableDescription table, ScanPredicate predicate) {
        SchemaTableName name =
                new SchemaTableName(table.schema().schemaName(), table.schema().tableName());
        return plans.statistics(table, predicate)
                .orElseGet(
                        () ->
                                find(name)
                                        .statistics(
                                                predicate,
                                                () ->
                                                        catalog.statistics(
                                                                table.schema(), predicate)));
    }

    public List<String> schemaNames() {
        return cache.isPresent() ? heard().schemas(catalog::schemaNames) : catalog.schemaNames();
    }

    /** The tables of a schema, or of all schemas. */
    public List<SchemaTableName> tables(Optional<String> schemaName) {
        return cache.isPresent()
                ? heard().tables(schemaName, () -> catalog.tables(schemaName))
                : catalog.tables(schemaName);
    }

    /** The views of a schema, or of all schemas. */
    public List<ViewSchema> views(Optional<String> schemaName) {
        return cache.isPresent()
                ? heard().views(schemaName, () -> catalog.views(schemaName))
                : catalog.views(schemaName);
    }

    /**
     * The relation of a name, to be read at {@link #snapshotLease}. If neither is loaded, one
     * request fetches both. Trino requests a materialized view, a view and a table of each name of
     * a query, and the first request serves all three.
     */
    public Relation open(SchemaTableName name, Optional<Lsn> atLeast) {
        boolean isKnown;
        synchronized (this) {
            isKnown = snapshotLease != null || relations.containsKey(name);
        }
        if (isKnown) {
            return find(name);
        }
        long changesBefore = changes.getAsLong();
        Optional<MetadataCache.Look> look = cache.map(shared -> shared.look(name));
        Optional<Relation> known = look.flatMap(MetadataCache.Look::relation);
        if (known.isPresent() && known.get().isNothing() && hasHeard(changesBefore)) {
            return cache.orElseThrow().found(known.get());
        }
        boolean isDescribed = known.isPresent();
        Optional<ScanPlanCache.Expected> expected = plans.expect(name);
        long sentNanos = System.nanoTime();
        Optional<QuerySnapshots.Opened> opened =
                CatalogRequests.found(
                        () ->
                                querySnapshots.open(
                                        CatalogRequests.request(name),
                                        atLeast,
                                        look.map(MetadataCache.Look::version),
                                        isDescribed,
                                        expected.map(ScanPlanCache.Expected::known)));
        if (opened.isEmpty()) {
            return new Relation(Relation.NOTHING);
        }
        Relation relation = relation(look, sentNanos, opened.get());
        return keep(name, opened.get(), expected, relation, changesBefore);
    }

    private Relation relation(
            Optional<MetadataCache.Look> look, long sentNanos, QuerySnapshots.Opened opened) {
        if (cache.isEmpty() || look.isEmpty()) {
            return new Relation(opened.relation());
        }
        boolean isThere = opened.lease().isPresent();
        boolean wasThere = look.get().relation().map(known -> !known.isNothing()).orElse(false);
        boolean isLeftOut =
                opened.relation().table().isEmpty() && opened.relation().view().isEmpty();
        return cache.get()
                .opened(
                        look.get(),
                        sentNanos,
                        opened.changes(),
                        opened.relation(),
                        isLeftOut && isThere == wasThere);
    }

    private Relation keep(
            SchemaTableName name,
            QuerySnapshots.Opened opened,
            Optional<ScanPlanCache.Expected> expected,
            Relation relation,
            long changesBefore) {
        synchronized (this) {
            if (opened.changes().isPresent()) {
                heardChanges = Math.max(heardChanges, changesBefore);
            }
            if (opened.lease().isEmpty()) {
                return relation; // no relation has the name
            }
            relations.putIfAbsent(name, relation);
            if (snapshotLease == null && !closed) {
                QuerySnapshots.Lease lease = opened.lease().get();
                snapshotLease = lease;
                expected.ifPresent(scans -> plans.began(scans, lease.id(), opened.plans()));
                return relation;
            }
        }
        opened.lease().get().close(); // another thread was faster
        return relation;
    }

    private Relation find(SchemaTableName name) {
        synchronized (this) {
            Relation known = relations.get(name);
            if (known != null) {
                return known;
            }
        }
        Relation found =
                cache.isPresent()
                        ? heard().relation(name, () -> catalog.findRelation(name))
                        : new Relation(catalog.findRelation(name));
        synchronized (this) {
            if (!found.isNothing()) {
                relations.put(name, found);
            }
        }
        return found;
    }

    /** The cache, once it has received all changes up to this transaction's last one. */
    private MetadataCache heard() {
        MetadataCache shared = cache.orElseThrow();
        long present = changes.getAsLong();
        if (hasHeard(present)) {
            return shared;
        }
        if (present > 0 || !shared.isFreshEnough()) {
            long sentNanos = System.nanoTime();
            shared.apply(catalog.changesSince(shared.version()), sentNanos);
            shared.metrics().checked();
        }
        synchronized (this) {
            heardChanges = Math.max(heardChanges, present);
        }
        return shared;
    }

    private synchronized boolean hasHeard(long present) {
        return heardChanges == present;
    }

    /**
     * A statement of this transaction changed the relation of a name: the next read requests it
     * again.
     */
    public synchronized void forget(SchemaTableName name) {
        relations.remove(name);
        changed.add(name);
    }

    /**
     * Whether another transaction gave the table its name after the snapshot: at the snapshot,
     * another table has the name, or none.
     */
    public synchronized boolean isYoungerThanSnapshot(TableDescription table) {
        SchemaTableName name =
                new SchemaTableName(table.schema().schemaName(), table.schema().tableName());
        return snapshotLease != null
                && table.isYoungerThan(snapshotLease.lsn())
                && !changed.contains(name);
    }

    /** The leased snapshot; throws INVALID_SESSION_PROPERTY if it is before {@code atLeast}. */
    public synchronized QuerySnapshots.Lease snapshotLease(Optional<Lsn> atLeast) {
        if (closed) {
            throw new IllegalStateException("The transaction has ended");
        }
        if (snapshotLease == null) {
            snapshotLease = querySnapshots.open(atLeast);
        } else if (atLeast.isPresent() && snapshotLease.lsn().compareTo(atLeast.get()) < 0) {
            throw new TrinoException(
                    INVALID_SESSION_PROPERTY,
                    "Expected a transaction that sees LSN %s (read_lsn), found its snapshot at %s"
                            .formatted(atLeast.get(), snapshotLease.lsn()));
        }
        return snapshotLease;
    }
}
