package io.stele.connector.metadata;

import static io.trino.spi.StandardErrorCode.INVALID_SESSION_PROPERTY;
import static java.util.Objects.requireNonNull;

import io.stele.connector.sidecar.ReadPoints;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.TableDescription;
import io.stele.protocol.api.TableName;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one Trino transaction sees: tables as they were when it first looked at each, and one read
 * point, opened when the first is looked at.
 *
 * <p>Guarded by itself: Trino asks from several threads.
 */
final class TransactionSnapshot {
    private final CatalogRequests catalog;
    private final ReadPoints readPoints;
    private final Map<SchemaTableName, TableDescription> tables = new HashMap<>();
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
        synchronized (this) {
            TableDescription known = tables.get(name);
            if (known != null) {
                return Optional.of(known);
            }
        }
        Optional<TableDescription> found = catalog.findTable(name);
        synchronized (this) {
            found.ifPresent(table -> tables.put(name, table));
        }
        return found;
    }

    /**
     * The table, to be read at {@link #readPoint}: where neither is known both are asked for at
     * once.
     */
    Optional<TableDescription> openTable(SchemaTableName name, Optional<Lsn> atLeast) {
        boolean isKnown;
        synchronized (this) {
            isKnown = readPoint != null || tables.containsKey(name);
        }
        if (isKnown) {
            return findTable(name);
        }
        Optional<ReadPoints.OpenedTable> opened =
                CatalogRequests.found(
                        () ->
                                readPoints.open(
                                        new TableName(name.getSchemaName(), name.getTableName()),
                                        atLeast));
        opened.ifPresent(found -> keep(name, found));
        return opened.map(ReadPoints.OpenedTable::table);
    }

    private void keep(SchemaTableName name, ReadPoints.OpenedTable opened) {
        synchronized (this) {
            tables.putIfAbsent(name, opened.table());
            if (readPoint == null && !closed) {
                readPoint = opened.lease();
                return;
            }
        }
        opened.lease().close(); // somebody else was quicker
    }

    /** A statement of this transaction changed the table: the next look asks again. */
    synchronized void forget(SchemaTableName name) {
        tables.remove(name);
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
