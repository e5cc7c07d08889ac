package io.stele.connector.metadata.view;

import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.FRESH;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.STALE;
import static io.trino.spi.connector.MaterializedViewFreshness.Freshness.UNKNOWN;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleWriteHandle;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.StorageTables;
import io.stele.connector.metadata.catalog.TableDefinitions;
import io.stele.connector.metadata.catalog.TableProperties;
import io.stele.connector.metadata.transaction.TransactionSnapshot;
import io.stele.connector.metadata.transaction.WriteTransactions;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.CatalogSchemaTableName;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.MaterializedViewFreshness;
import io.trino.spi.connector.MaterializedViewNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.TypeManager;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The materialized views of one Trino transaction: their definitions, storage tables, refresh and
 * freshness. Each has a storage table for its rows, which no listing shows. A refresh replaces its
 * rows in one step of the log, so that readers see either the old rows or the new ones. It also
 * records the snapshots that they were made of ({@link RefreshRecord}).
 *
 * <p>Invariant: a view is shown as fresh only if no base table changed after the snapshot that its
 * rows were made of. A refresh fails if the rows were replaced after its own snapshot, and the
 * record is written after the rows. So a record may be older than the rows, but never newer.
 * Thread-safe.
 */
public final class MaterializedViews {
    /** For callers that do not use the storage table. */
    static final CatalogSchemaTableName NO_STORAGE =
            new CatalogSchemaTableName("none", "none", "none");

    private final String catalogName;
    private final CatalogRequests catalog;
    private final TransactionSnapshot snapshot;
    private final TableDefinitions definitions;
    private final TypeManager types;
    private final WriteTransactions writes;

    public MaterializedViews(
            String catalogName,
            CatalogRequests catalog,
            TransactionSnapshot snapshot,
            TableDefinitions definitions,
            TypeManager types,
            WriteTransactions writes) {
        this.catalogName = requireNonNull(catalogName, "catalogName is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.types = requireNonNull(types, "types is null");
        this.writes = requireNonNull(writes, "writes is null");
    }

    public void create(
            SchemaTableName name,
            ConnectorMaterializedViewDefinition definition,
            Map<String, Object> properties,
            boolean replace,
            boolean ignoreExisting) {
        if (ignoreExisting && snapshot.findView(name, true).isPresent()) {
            return;
        }
        List<ColumnMetadata> columns =
                definition.getColumns().stream()
                        .map(
                                column ->
                                        new ColumnMetadata(
                                                column.getName(), types.getType(column.getType())))
                        .toList();
        TableSchema storage =
                definitions.toStele(
                        new ConnectorTableMetadata(name, columns, properties, Optional.empty()));
        try {
            catalog.createView(
                    name,
                    ViewDocument.of(definition).text(),
                    replace,
                    Optional.of(
                            new CreateTableRequest(
                                    storage,
                                    TableProperties.tableGroup(properties),
                                    false,
                                    false)));
        } catch (TrinoException e) {
            if (!ignoreExisting || !isThereNow(name)) {
                throw e;
            }
        } finally {
            snapshot.forget(name);
        }
    }

    /** Whether a concurrent statement has created the view. */
    private boolean isThereNow(SchemaTableName name) {
        return catalog.findRelation(name).view().filter(ViewSchema::isMaterialized).isPresent();
    }

    public Map<SchemaTableName, ConnectorMaterializedViewDefinition> all(
            Optional<String> schemaName) {
        Map<SchemaTableName, ConnectorMaterializedViewDefinition> found = new LinkedHashMap<>();
        for (ViewSchema view : snapshot.views(schemaName)) {
            if (view.isMaterialized()) {
                found.put(Views.nameOf(view), definition(view));
            }
        }
        return found;
    }

    /**
     * The view; opens the transaction's snapshot with the same request, because a query may be
     * about to read the view.
     */
    public Optional<ConnectorMaterializedViewDefinition> find(
            SchemaTableName name, Optional<Lsn> atLeast) {
        return snapshot.open(name, atLeast)
                .view()
                .filter(ViewSchema::isMaterialized)
                .map(this::definition);
    }

    private ConnectorMaterializedViewDefinition definition(ViewSchema view) {
        SchemaTableName storage = StorageTables.name(view);
        return ViewDocument.of(view)
                .toMaterializedView(
                        new CatalogSchemaTableName(
                                catalogName, storage.getSchemaName(), storage.getTableName()));
    }

    /** The properties of the storage table. */
    public Map<String, Object> properties(SchemaTableName name) {
        return TableProperties.of(storage(name));
    }

    public void setProperties(SchemaTableName name, Map<String, Optional<Object>> properties) {
        TableSchema storage = storage(name);
        catalog.setOptions(
                storage.id(),
                TableProperties.changedOptions(properties),
                TableDefinitions.options(storage.columns(), TableProperties.values(properties)));
        snapshot.forget(StorageTables.name(view(name)));
    }

    private TableSchema storage(SchemaTableName name) {
        return snapshot.findTable(StorageTables.name(view(name)))
                .orElseThrow(() -> new MaterializedViewNotFoundException(name))
                .schema();
    }

    private ViewSchema view(SchemaTableName name) {
        return snapshot.findView(name, true)
                .orElseThrow(() -> new MaterializedViewNotFoundException(name));
    }

    /** Whether the base tables are unchanged since the refresh. */
    public MaterializedViewFreshness freshness(SchemaTableName name) {
        Optional<RefreshRecord> noted = view(name).refresh().map(RefreshRecord::of);
        if (noted.isEmpty()) {
            return new MaterializedViewFreshness(STALE, Optional.empty());
        }
        RefreshRecord last = noted.get();
        Optional<Instant> lastFresh = Optional.of(last.start());
        boolean unknown = last.elsewhere();
        for (RefreshRecord.Base base : last.bases()) {
            Optional<TableDescription> table = current(base);
            if (table.isEmpty()) {
                return new MaterializedViewFreshness(STALE, lastFresh);
            }
            // Its rows expire without a change
            unknown |= table.get().schema().options().expires();
        }
        return unknown
                ? new MaterializedViewFreshness(UNKNOWN, lastFresh)
                : new MaterializedViewFreshness(FRESH, Optional.empty());
    }

    /** The base table; empty if another table has its name, or if it has changed since. */
    private Optional<TableDescription> current(RefreshRecord.Base base) {
        return catalog.findTable(new SchemaTableName(base.schemaName(), base.tableName()))
                .filter(table -> table.schema().id().equals(base.tableId()))
                .filter(table -> table.schema().schemaVersion() == base.schemaVersion())
                .filter(
                        table ->
                                table.changedLsn()
                                        .filter(changed -> changed.compareTo(base.readLsn()) <= 0)
                                        .isPresent());
    }

    /** Begins to fill the table with new rows. */
    public SteleWriteHandle beginRefresh(SteleTableHandle storage) {
        return writes.begin(
                storage.table(),
                definitions.columnHandles(storage.table()),
                Optional.of(storage.snapshot()),
                false);
    }

    /** Replaces the old rows by the new ones, then stores the record of the refresh. */
    public void finishRefresh(
            SteleWriteHandle write,
            Collection<Slice> fragments,
            Instant start,
            List<ConnectorTableHandle> sources,
            boolean elsewhere) {
        TableId storage = write.table().id();
        writes.replace(write, fragments);
        catalog.setRefresh(storage, RefreshRecord.of(start, sources, elsewhere).text());
    }
}
