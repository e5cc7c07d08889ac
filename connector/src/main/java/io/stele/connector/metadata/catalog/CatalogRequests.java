package io.stele.connector.metadata.catalog;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.connector.error.SteleErrorCode;
import io.stele.connector.sidecar.SidecarActions;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.AlterTableRequest;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.CreateViewRequest;
import io.stele.protocol.api.catalog.DropSchemaRequest;
import io.stele.protocol.api.catalog.ListTablesReply;
import io.stele.protocol.api.catalog.ListTablesRequest;
import io.stele.protocol.api.catalog.ListViewsReply;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataChangesRequest;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.RenameSchemaRequest;
import io.stele.protocol.api.catalog.RenameTableRequest;
import io.stele.protocol.api.catalog.RenameViewRequest;
import io.stele.protocol.api.catalog.SetCommentRequest;
import io.stele.protocol.api.catalog.SetDefaultRequest;
import io.stele.protocol.api.catalog.SetOptionsRequest;
import io.stele.protocol.api.catalog.SetRefreshRequest;
import io.stele.protocol.api.catalog.SetViewRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.catalog.TableStatisticsRequest;
import io.stele.protocol.api.catalog.ViewRequest;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.api.maintenance.ListFilesReply;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.maintenance.PartitionFiles;
import io.stele.protocol.api.maintenance.RunJobRequest;
import io.stele.protocol.api.maintenance.TableHistoryReply;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.DeletePartitionsRequest;
import io.stele.protocol.api.write.WriteActions;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A client for catalog requests to the sidecar, with names and errors in Trino's terms.
 * Thread-safe.
 */
public final class CatalogRequests {
    private static final Logger log = Logger.get(CatalogRequests.class);

    /** Attempts of a change that loses to concurrent changes of the same object. */
    public static final int MAX_ATTEMPTS = 10;

    /** Each failed attempt leaves listings of files in the sidecar. */
    private static final int MAX_DELETIONS = 3;

    private final SidecarActions sidecar;

    @Inject
    public CatalogRequests(SteleSidecar sidecar) {
        this((SidecarActions) sidecar);
    }

    public CatalogRequests(SidecarActions sidecar) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    public List<String> schemaNames() {
        return sidecar.call(CatalogActions.LIST_SCHEMAS, Done.DONE).schemaNames();
    }

    /**
     * Throws ALREADY_EXISTS if a concurrent statement was faster, because IF NOT EXISTS ignores
     * only this error.
     */
    public void createSchema(String name) {
        try {
            sidecar.change(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest(name, false));
        } catch (TrinoException e) {
            if (isOneOf(e, StandardErrorCode.SCHEMA_ALREADY_EXISTS)) {
                throw new TrinoException(StandardErrorCode.ALREADY_EXISTS, e.getMessage(), e);
            }
            throw e;
        }
    }

    public void dropSchema(String name, boolean cascade) {
        unlessGone(
                () ->
                        sidecar.change(
                                CatalogActions.DROP_SCHEMA, new DropSchemaRequest(name, cascade)));
    }

    public void renameSchema(String name, String newName) {
        sidecar.change(CatalogActions.RENAME_SCHEMA, new RenameSchemaRequest(name, newName));
    }

    /** The tables of a schema or of all schemas; none if there is no such schema. */
    public List<SchemaTableName> tables(Optional<String> schemaName) {
        return list(CatalogActions.LIST_TABLES, schemaName)
                .map(ListTablesReply::tables)
                .orElse(List.of())
                .stream()
                .map(table -> new SchemaTableName(table.schemaName(), table.tableName()))
                .toList();
    }

    /** Views and materialized views; none if there is no such schema. */
    public List<ViewSchema> views(Optional<String> schemaName) {
        return list(CatalogActions.LIST_VIEWS, schemaName)
                .map(ListViewsReply::views)
                .orElse(List.of());
    }

    private <R> Optional<R> list(Action<ListTablesRequest, R> action, Optional<String> schemaName) {
        return found(() -> sidecar.call(action, new ListTablesRequest(schemaName)));
    }

    public Optional<TableDescription> findTable(SchemaTableName name) {
        return found(
                () ->
                        sidecar.call(
                                CatalogActions.GET_TABLE,
                                TableRequest.of(name.getSchemaName(), name.getTableName())));
    }

    /** The reply of a request, or empty if it fails because there is no such table or schema. */
    public static <T> Optional<T> found(Supplier<T> request) {
        try {
            return Optional.of(request.get());
        } catch (TrinoException e) {
            if (isOneOf(e, StandardErrorCode.TABLE_NOT_FOUND, StandardErrorCode.SCHEMA_NOT_FOUND)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * The relation of a name, which can also be a table that stores rows of a materialized view.
     */
    public RelationReply findRelation(SchemaTableName name) {
        return found(() -> sidecar.call(CatalogActions.GET_RELATION, request(name)))
                .orElse(Relation.NOTHING);
    }

    /** The changes since a version. */
    public MetadataChanges changesSince(MetadataVersion version) {
        return sidecar.call(
                CatalogActions.METADATA_CHANGES, new MetadataChangesRequest(Optional.of(version)));
    }

    public static TableRequest request(SchemaTableName name) {
        return new TableRequest(named(name), StorageTables.id(name));
    }

    /**
     * Creates a view.
     *
     * @param storage the table for the rows of a materialized view; empty for other views
     */
    public void createView(
            SchemaTableName name,
            String definition,
            boolean replace,
            Optional<CreateTableRequest> storage) {
        inSchema(
                name.getSchemaName(),
                () ->
                        sidecar.change(
                                CatalogActions.CREATE_VIEW,
                                new CreateViewRequest(named(name), definition, replace, storage)));
    }

    public void dropView(SchemaTableName name, boolean materialized) {
        unlessGone(
                () ->
                        sidecar.change(
                                CatalogActions.DROP_VIEW,
                                new ViewRequest(named(name), materialized)));
    }

    public void renameView(SchemaTableName name, boolean materialized, SchemaTableName newName) {
        inSchema(
                newName.getSchemaName(),
                () ->
                        sidecar.change(
                                CatalogActions.RENAME_VIEW,
                                new RenameViewRequest(
                                        new ViewRequest(named(name), materialized),
                                        named(newName))));
    }

    public void setView(
            SchemaTableName name, boolean materialized, long revision, String definition) {
        sidecar.change(
                CatalogActions.SET_VIEW,
                new SetViewRequest(
                        new ViewRequest(named(name), materialized), revision, definition));
    }

    public void setRefresh(TableId storageTable, String refresh) {
        sidecar.change(CatalogActions.SET_REFRESH, new SetRefreshRequest(storageTable, refresh));
    }

    private static TableName named(SchemaTableName name) {
        return new TableName(name.getSchemaName(), name.getTableName());
    }

    public TableDescription createTable(
            TableSchema table,
            String tableGroup,
            boolean staged,
            boolean ignoreExisting,
            boolean replace) {
        return inSchema(
                table.schemaName(),
                () ->
                        sidecar.change(
                                CatalogActions.CREATE_TABLE,
                                new CreateTableRequest(
                                        table,
                                        tableGroup,
                                        staged,
                                        ignoreExisting,
                                        Optional.of(replace))));
    }

    public void dropTable(SchemaTableName name, TableId tableId) {
        unlessGone(
                () ->
                        ofPresent(
                                name,
                                tableId,
                                request -> sidecar.change(CatalogActions.DROP_TABLE, request)));
    }

    public void truncateTable(SchemaTableName name, TableId tableId) {
        ofPresent(name, tableId, request -> sidecar.change(CatalogActions.TRUNCATE_TABLE, request));
    }

    /**
     * Changes the table of a name as a whole; repeats this if another table, for example that of a
     * TRUNCATE, has taken the name since Trino read it.
     */
    private <T> T ofPresent(
            SchemaTableName name, TableId tableId, Function<TableRequest, T> change) {
        TableRequest request = request(name, tableId);
        for (int attempt = 1; ; attempt++) {
            try {
                return change.apply(request);
            } catch (TrinoException e) {
                boolean isStale =
                        e.getErrorCode().equals(SteleErrorCode.STELE_STALE_TABLE.toErrorCode());
                if (!isStale || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
                TableDescription present =
                        findTable(name)
                                .orElseThrow(
                                        () ->
                                                new TrinoException(
                                                        StandardErrorCode.TABLE_NOT_FOUND,
                                                        "Expected a table '%s', found it dropped"
                                                                .formatted(name),
                                                        e));
                request = request(name, present.schema().id());
            }
        }
    }

    /**
     * Drops an object that Trino has seen; if it no longer exists, a concurrent statement has
     * dropped it already.
     */
    private static void unlessGone(Runnable drop) {
        try {
            drop.run();
        } catch (TrinoException e) {
            boolean isGone =
                    isOneOf(
                            e,
                            StandardErrorCode.TABLE_NOT_FOUND,
                            StandardErrorCode.SCHEMA_NOT_FOUND);
            if (!isGone) {
                throw e;
            }
        }
    }

    public void renameTable(TableId tableId, SchemaTableName newName) {
        inSchema(
                newName.getSchemaName(),
                () ->
                        sidecar.change(
                                CatalogActions.RENAME_TABLE,
                                new RenameTableRequest(tableId, named(newName))));
    }

    public void setComment(TableId tableId, Optional<Integer> columnId, Optional<String> comment) {
        sidecar.change(
                CatalogActions.SET_COMMENT, new SetCommentRequest(tableId, columnId, comment));
    }

    public void setDefault(TableId tableId, int columnId, Optional<String> defaultValue) {
        sidecar.change(
                CatalogActions.SET_DEFAULT, new SetDefaultRequest(tableId, columnId, defaultValue));
    }

    /**
     * Sets options and waits for new unique indexes, whose rows may turn out not to be unique;
     * other indexes are built in the background.
     */
    public void setOptions(TableId tableId, List<TableOption> changed, TableOptions values) {
        TableSchema present =
                sidecar.change(
                                CatalogActions.SET_OPTIONS,
                                new SetOptionsRequest(tableId, changed, values))
                        .schema();
        if (changed.contains(TableOption.INDEXES)) {
            SchemaTableName name = new SchemaTableName(present.schemaName(), present.tableName());
            present.options().indexes().stream()
                    .filter(index -> index.unique() && !index.ready())
                    .forEach(
                            index ->
                                    sidecar.runJob(
                                            RunJobRequest.of(
                                                    JobKind.BUILD_INDEX,
                                                    request(name, tableId),
                                                    index.id())));
        }
    }

    /**
     * Deletes all rows of some partitions, which domains of partition columns name. The deletion
     * has a transaction's id, by which the request is repeated until its outcome is known.
     *
     * @return the LSN at which they are gone
     */
    public Lsn deletePartitions(TableSchema table, ScanPredicate partitions) {
        for (int attempt = 1; ; attempt++) {
            String transactionId =
                    sidecar.call( // if the reply is lost, the transaction ends by itself
                                    WriteActions.BEGIN_TRANSACTION,
                                    new BeginTransactionRequest(
                                            table.id(), Optional.empty(), Optional.empty()))
                            .transactionId();
            try {
                return deletePartitions(table, partitions, transactionId);
            } catch (TrinoException e) {
                // The sidecar was restarted before it was decided, so nothing is deleted
                boolean isLost =
                        e.getErrorCode()
                                .equals(SteleErrorCode.STELE_TRANSACTION_LOST.toErrorCode());
                if (!isLost || attempt == MAX_DELETIONS) {
                    throw e;
                }
            }
        }
    }

    private Lsn deletePartitions(
            TableSchema table, ScanPredicate partitions, String transactionId) {
        boolean deleted = false;
        try {
            Lsn gone =
                    sidecar.callUntilKnown(
                                    WriteActions.DELETE_PARTITIONS,
                                    new DeletePartitionsRequest(
                                            table.id(), partitions, Optional.of(transactionId)),
                                    "It is not known whether rows of table %s are deleted; CALL system.check_commit('%s') tells"
                                            .formatted(table.qualifiedName(), transactionId))
                            .lsn();
            deleted = true;
            return gone;
        } finally {
            if (!deleted) {
                abort(transactionId);
            }
        }
    }

    /**
     * Aborts a transaction early, which would otherwise expire; one that was requested to commit
     * continues.
     */
    private void abort(String transactionId) {
        try {
            sidecar.callNow(
                    WriteActions.ABORT_TRANSACTION, new AbortTransactionRequest(transactionId));
        } catch (TrinoException e) {
            log.debug(e, "Cannot give up transaction %s", transactionId);
        }
    }

    public List<PartitionFiles> partitions(TableSchema table) {
        return sidecar.call(
                        MaintenanceActions.LIST_PARTITIONS,
                        request(
                                new SchemaTableName(table.schemaName(), table.tableName()),
                                table.id()))
                .partitions();
    }

    /** Flushes, compacts or analyzes the files of a table; safe to repeat. */
    public void maintain(JobKind kind, SchemaTableName name) {
        sidecar.runJob(RunJobRequest.of(kind, new TableRequest(named(name), Optional.empty())));
    }

    /** The statistics of the files that may have rows of a predicate. */
    public TableStatistics statistics(TableSchema table, ScanPredicate predicate) {
        return sidecar.call(
                CatalogActions.TABLE_STATISTICS,
                new TableStatisticsRequest(
                        table.id(), OptionalInt.of(table.schemaVersion()), predicate));
    }

    /** The columns that a table had before, and how far back it can be read. */
    public TableHistoryReply history(TableSchema table) {
        return sidecar.call(
                MaintenanceActions.TABLE_HISTORY,
                request(new SchemaTableName(table.schemaName(), table.tableName()), table.id()));
    }

    /** Discards the history of a table below an LSN. */
    public void expireHistory(SchemaTableName name, TableId tableId, Lsn before) {
        sidecar.runJob(
                RunJobRequest.of(JobKind.EXPIRE_HISTORY, request(name, tableId), before.value()));
    }

    /**
     * Deletes unreferenced files of a table that were last changed before a time (milliseconds
     * since 1970); returns their number.
     */
    public long removeOrphanFiles(SchemaTableName name, TableId tableId, long beforeMillis) {
        return sidecar.runJob(
                        RunJobRequest.of(
                                JobKind.REMOVE_ORPHAN_FILES, request(name, tableId), beforeMillis))
                .result();
    }

    public ListFilesReply files(TableSchema table) {
        return sidecar.call(
                MaintenanceActions.LIST_FILES,
                request(new SchemaTableName(table.schemaName(), table.tableName()), table.id()));
    }

    public void alterTable(TableSchema table, ColumnChange change) {
        sidecar.change(
                CatalogActions.ALTER_TABLE,
                new AlterTableRequest(table.id(), table.schemaVersion(), change));
    }

    private static TableRequest request(SchemaTableName name, TableId tableId) {
        return new TableRequest(named(name), Optional.of(tableId));
    }

    /** Runs a request; an unknown schema becomes Trino's error for it. */
    private static <T> T inSchema(String schemaName, Supplier<T> request) {
        try {
            return request.get();
        } catch (TrinoException e) {
            if (isOneOf(e, StandardErrorCode.SCHEMA_NOT_FOUND)) {
                throw new TrinoException(
                        StandardErrorCode.SCHEMA_NOT_FOUND,
                        "Schema %s not found".formatted(schemaName),
                        e);
            }
            throw e;
        }
    }

    private static boolean isOneOf(TrinoException failure, StandardErrorCode... codes) {
        for (StandardErrorCode code : codes) {
            if (failure.getErrorCode().equals(code.toErrorCode())) {
                return true;
            }
        }
        return false;
    }
}
