package io.stele.connector.metadata;

import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static java.util.Objects.requireNonNull;

import io.stele.connector.sidecar.ReadPoints;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.RelationReply;
import io.stele.protocol.api.TableDescription;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one Trino transaction sees: tables and views as they were when it first looked at each, and
 * one read point, opened when the first table is looked at.
 *
 * <p>Guarded by itself: Trino asks from several threads.
 */
final class TransactionSnapshot {
    private final CatalogRequests catalog;
    private final ReadPoints readPoints;
    private final Map<SchemaTableName, RelationReply> relations = new HashMap<>();
    private ReadPoints.@Nullable Lease readPoint;
    private boolean closed;

    TransactionSnapshot(CatalogRequests catalog, ReadPoints readPoints) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.readPoints = requireNonNull(readPoints, "readPoints is null");
    }

    /** Releases the read point; nothing can be looked at afterwards. */
    void close() {
        ReadPoints.@Nullable Lease lease;
        synchronized (this) {
            closed = true;
            lease = readPoint;
            readPoint = null;
        }
        if (lease != null) {
            lease.close();
        }
    }

    /** The table as this transaction first saw it. */
    Optional<TableDescription> findTable(SchemaTableName name) {
        return find(name).table();
    }

    /** The view of a kind as this transaction first saw it. */
    Optional<ViewSchema> findView(SchemaTableName name, boolean materialized) {
        return find(name).view().filter(view -> view.isMaterialized() == materialized);
    }

    /**
     * What has a name, to be read at {@link #readPoint}: where neither is known both are asked for
     * at once. Trino asks for a materialized view, a view and a table of each name of a query, and
     * the first request answers all.
     */
    RelationReply open(SchemaTableName name, Optional<Lsn> atLeast) {
        boolean isKnown;
        synchronized (this) {
            isKnown = readPoint != null || relations.containsKey(name);
        }
        if (isKnown) {
            return find(name);
        }
        Optional<ReadPoints.Opened> opened =
                CatalogRequests.found(
                        () -> readPoints.open(CatalogRequests.request(name), atLeast));
        opened.ifPresent(found -> keep(name, found));
        return opened.map(ReadPoints.Opened::relation).orElse(CatalogRequests.NOTHING);
    }

    private void keep(SchemaTableName name, ReadPoints.Opened opened) {
        if (opened.lease().isEmpty()) {
            return; // there is nothing of the name
        }
        synchronized (this) {
            relations.putIfAbsent(name, opened.relation());
            if (readPoint == null && !closed) {
                readPoint = opened.lease().get();
                return;
            }
        }
        opened.lease().get().close(); // somebody else was quicker
    }

    private RelationReply find(SchemaTableName name) {
        synchronized (this) {
            RelationReply known = relations.get(name);
            if (known != null) {
                return known;
            }
        }
        RelationReply found = catalog.findRelation(name);
        synchronized (this) {
            if (found.table().isPresent() || found.view().isPresent()) {
                relations.put(name, found);
            }
        }
        return found;
    }

    /** A statement of this transaction changed what has the name: the next look asks again. */
    synchronized void forget(SchemaTableName name) {
        relations.remove(name);
    }

    /** The read point; INVALID_SESSION_PROPERTY if it is before {@code atLeast}. */
    synchronized ReadPoints.Lease readPoint(Optional<Lsn> atLeast) {
        if (closed) {
            throw new IllegalStateException("The transaction has ended");
        }
        if (readPoint == null) {
            readPoint = readPoints.open(atLeast);
        } else if (atLeast.isPresent() && readPoint.lsn().compareTo(atLeast.get()) < 0) {
            throw new TrinoException(
                    INVALID_SESSION_PROPERTY,
                    "Expected a transaction that sees LSN %s (read_lsn), found its snapshot at %s"
                            .formatted(atLeast.get(), readPoint.lsn()));
        }
        return readPoint;
    }
}
