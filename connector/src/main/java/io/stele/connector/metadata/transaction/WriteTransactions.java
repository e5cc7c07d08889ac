package io.stele.connector.metadata.transaction;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.stele.connector.handle.ExistingRows;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleWriteHandle;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.sidecar.Leases;
import io.stele.connector.sidecar.SidecarActions;
import io.stele.connector.write.SinkResults;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionReply;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.CommitTransactionRequest;
import io.stele.protocol.api.write.WriteActions;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.SchemaTableName;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sidecar transactions behind one Trino transaction's writes. Each is either committed, with
 * all rows and files that workers report, or aborted when the Trino transaction ends. Thread-safe.
 */
public final class WriteTransactions {
    private static final Logger log = Logger.get(WriteTransactions.class);

    private final SidecarActions sidecar;
    private final CatalogRequests catalog;
    private final Leases leases;

    @GuardedBy("this")
    private final Map<String, SteleWriteHandle> open = new LinkedHashMap<>();

    public WriteTransactions(SidecarActions sidecar, CatalogRequests catalog, Leases leases) {
        this.leases = requireNonNull(leases, "leases is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    /**
     * Begins a write.
     *
     * @param readLsn the snapshot that the write's decisions rest on; the commit fails if one of
     *     its keys has changed since
     * @param created whether the table is a new one that the commit publishes
     */
    public SteleWriteHandle begin(
            TableSchema table,
            List<SteleColumnHandle> columns,
            Optional<Lsn> readLsn,
            boolean created) {
        return begin(table, columns, readLsn, created, ExistingRows.REPLACE);
    }

    /** Begins a write with a handling of existing keys; a table without a primary key has none. */
    public SteleWriteHandle begin(
            TableSchema table,
            List<SteleColumnHandle> columns,
            Optional<Lsn> readLsn,
            boolean created,
            ExistingRows existing) {
        BeginTransactionReply reply;
        try {
            reply =
                    sidecar.call( // if the reply is lost, the transaction ends with its lease
                            WriteActions.BEGIN_TRANSACTION,
                            new BeginTransactionRequest(
                                    table.id(),
                                    readLsn,
                                    Optional.of(leases.transactionTtlMillis())));
        } catch (RuntimeException failed) {
            if (created) {
                dropCreated(table, failed);
            }
            throw failed;
        }
        SteleWriteHandle write =
                new SteleWriteHandle(
                        table,
                        reply.transactionId(),
                        reply.dataPrefix(),
                        columns,
                        created,
                        table.hasPrimaryKey() ? existing : ExistingRows.REPLACE);
        leases.addTransaction(reply.transactionId()); // workers may write for hours
        synchronized (this) {
            open.put(reply.transactionId(), write);
        }
        return write;
    }

    // Otherwise the abort of the transaction drops the table
    private void dropCreated(TableSchema table, RuntimeException failed) {
        try {
            catalog.dropTable(
                    new SchemaTableName(table.schemaName(), table.tableName()), table.id());
        } catch (RuntimeException e) {
            failed.addSuppressed(e);
        }
    }

    /** Makes everything that was written visible at once. */
    public void commit(SteleWriteHandle write, Collection<Slice> fragments) {
        commit(write, fragments, Optional.empty());
    }

    /** Makes everything that was written visible at once, in place of all rows of the table. */
    public void replace(SteleWriteHandle write, Collection<Slice> fragments) {
        commit(write, fragments, Optional.of(write.table().id()));
    }

    private void commit(
            SteleWriteHandle write, Collection<Slice> fragments, Optional<TableId> replaced) {
        SinkResults written = SinkResults.read(fragments);
        // A repeated commit returns the outcome of the first one
        sidecar.callUntilKnown(
                WriteActions.COMMIT_TRANSACTION,
                new CommitTransactionRequest(
                        write.transactionId(),
                        written.files(),
                        write.created() ? Optional.of(write.table().id()) : Optional.empty(),
                        replaced,
                        Optional.of(written.parts())),
                "It is not known whether transaction %s of table %s is committed; CALL system.check_commit('%s') tells"
                        .formatted(
                                write.transactionId(),
                                write.table().qualifiedName(),
                                write.transactionId()));
        leases.removeTransaction(write.transactionId());
        synchronized (this) {
            open.remove(write.transactionId());
        }
    }

    /**
     * Aborts transactions that are not committed, and drops the tables that they would have
     * created. If the sidecar cannot be reached, their leases expire there.
     */
    public void abortAll() {
        List<SteleWriteHandle> left;
        synchronized (this) {
            left = List.copyOf(open.values());
            open.clear();
        }
        for (SteleWriteHandle write : left) {
            leases.removeTransaction(write.transactionId());
            try {
                sidecar.callNow(
                        WriteActions.ABORT_TRANSACTION,
                        new AbortTransactionRequest(write.transactionId()));
            } catch (RuntimeException e) {
                log.warn(e, "Cannot give up write %s of %s", write.transactionId(), write);
            }
        }
    }
}
