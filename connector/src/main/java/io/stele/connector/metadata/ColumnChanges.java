package io.stele.connector.metadata;

import static io.trino.spi.StandardErrorCode.COLUMN_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.connector.error.SteleErrorCode;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.ColumnPositions;
import io.stele.connector.metadata.catalog.DefaultLiterals;
import io.stele.connector.metadata.catalog.StorageTables;
import io.stele.connector.metadata.catalog.TableDefinitions;
import io.stele.connector.metadata.transaction.TransactionSnapshot;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.InitialValue;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.type.Type;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The {@code ALTER TABLE} operations on columns and their fields, in one Trino transaction. Each
 * change names the schema version that it was made for. If other transactions have changed other
 * columns since then, the change is repeated for the present version. Thread-safe.
 */
final class ColumnChanges {
    private static final int NO_COLUMN = 0; // ids begin at 1

    private final CatalogRequests catalog;
    private final TransactionSnapshot snapshot;
    private final TableDefinitions definitions;

    ColumnChanges(
            CatalogRequests catalog, TransactionSnapshot snapshot, TableDefinitions definitions) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
    }

    /**
     * Adds a column; throws NOT_SUPPORTED for a NOT NULL column without a default value for
     * existing rows.
     */
    void add(ConnectorTableHandle tableHandle, ColumnMetadata column, ColumnPosition position) {
        change(tableHandle, () -> ColumnPositions.at(position, added(column)));
    }

    private ColumnChange added(ColumnMetadata column) {
        DataType type = definitions.toStele(column.getName(), column.getType());
        ColumnChange change =
                ColumnChange.addColumn(column.getName(), type, column.getComment())
                        .withDefault(column.getDefaultValue());
        Optional<InitialValue> initial =
                column.getDefaultValue()
                        .flatMap(
                                literal ->
                                        DefaultLiterals.initialValue(
                                                column.getName(), type, literal));
        if (initial.isPresent()) {
            change = change.withInitialValue(initial.get());
        }
        if (column.isNullable()) {
            return change;
        }
        if (initial.isEmpty()) {
            throw new TrinoException(
                    NOT_SUPPORTED, "This connector does not support adding not null columns");
        }
        return change.asNotNull();
    }

    void drop(ConnectorTableHandle tableHandle, ColumnHandle column) {
        change(tableHandle, () -> ColumnChange.drop(List.of(name(tableHandle, column))));
    }

    void rename(ConnectorTableHandle tableHandle, ColumnHandle source, String target) {
        change(tableHandle, () -> ColumnChange.rename(List.of(name(tableHandle, source)), target));
    }

    void setType(ConnectorTableHandle tableHandle, ColumnHandle column, Type type) {
        setFieldType(tableHandle, List.of(name(tableHandle, column)), type);
    }

    void dropNotNull(ConnectorTableHandle tableHandle, ColumnHandle column) {
        change(tableHandle, () -> ColumnChange.dropNotNull(name(tableHandle, column)));
    }

    void setDefault(
            ConnectorTableHandle tableHandle, ColumnHandle column, Optional<String> defaultValue) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        catalog.setDefault(handle.table().id(), ((SteleColumnHandle) column).id(), defaultValue);
        snapshot.forget(handle.name());
    }

    void addField(
            ConnectorTableHandle tableHandle,
            List<String> parentPath,
            String fieldName,
            Type type,
            boolean ignoreExisting) {
        try {
            change(
                    tableHandle,
                    () ->
                            ColumnChange.addField(
                                    parentPath,
                                    fieldName,
                                    definitions.toStele(String.join(".", parentPath), type)));
        } catch (TrinoException e) {
            // Trino found no such field; another transaction has added it since then
            if (!ignoreExisting || !COLUMN_ALREADY_EXISTS.toErrorCode().equals(e.getErrorCode())) {
                throw e;
            }
        }
    }

    void dropField(ConnectorTableHandle tableHandle, ColumnHandle column, List<String> fieldPath) {
        change(
                tableHandle,
                () ->
                        ColumnChange.drop(
                                ImmutableList.<String>builder()
                                        .add(name(tableHandle, column))
                                        .addAll(fieldPath)
                                        .build()));
    }

    void renameField(ConnectorTableHandle tableHandle, List<String> fieldPath, String target) {
        change(tableHandle, () -> ColumnChange.rename(fieldPath, target));
    }

    void setFieldType(ConnectorTableHandle tableHandle, List<String> fieldPath, Type type) {
        change(
                tableHandle,
                () ->
                        ColumnChange.setType(
                                fieldPath, definitions.toStele(String.join(".", fieldPath), type)));
    }

    private void change(ConnectorTableHandle tableHandle, Supplier<ColumnChange> change) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        ColumnChange wanted = SteleErrors.translated(change::get);
        try {
            alter(handle, wanted);
        } finally {
            snapshot.forget(handle.name());
        }
    }

    /** Repeats the change if other transactions have changed columns since Trino read the table. */
    private void alter(SteleTableHandle handle, ColumnChange change) {
        TableSchema table = handle.table();
        for (int attempt = 1; ; attempt++) {
            try {
                catalog.alterTable(table, change);
                return;
            } catch (TrinoException e) {
                boolean isStale =
                        e.getErrorCode().equals(SteleErrorCode.STELE_STALE_TABLE.toErrorCode());
                Optional<TableSchema> present =
                        isStale && attempt < CatalogRequests.MAX_ATTEMPTS
                                ? catalog.findTable(handle.name()).map(TableDescription::schema)
                                : Optional.empty();
                if (present.isEmpty() || !present.get().id().equals(table.id())) {
                    throw e;
                }
                if (isDone(present.get(), handle.table(), change)) {
                    return;
                }
                if (!isOfSameColumn(present.get(), handle.table(), change)) {
                    throw e;
                }
                table = present.get();
            }
        }
    }

    /**
     * Whether a concurrent statement has added, or dropped, the same column since Trino read the
     * table.
     */
    private static boolean isDone(TableSchema present, TableSchema seen, ColumnChange change) {
        return switch (change.kind()) {
            case ADD ->
                    change.path().isEmpty()
                            && find(seen, change.name().orElseThrow()).isEmpty()
                            && find(present, change.name().orElseThrow())
                                    .map(ColumnSchema::type)
                                    .equals(change.type());
            case DROP ->
                    change.path().size() == 1
                            && present.columns().stream()
                                    .noneMatch(
                                            column ->
                                                    column.id()
                                                            == id(seen, change.path().getFirst()));
            case RENAME, SET_TYPE, DROP_NOT_NULL -> false;
        };
    }

    /** Whether the first name of a change's path still belongs to the column that Trino read. */
    private static boolean isOfSameColumn(
            TableSchema present, TableSchema seen, ColumnChange change) {
        return change.path().isEmpty()
                || id(present, change.path().getFirst()) == id(seen, change.path().getFirst());
    }

    private static int id(TableSchema table, String name) {
        return find(table, name).map(ColumnSchema::id).orElse(NO_COLUMN);
    }

    private static Optional<ColumnSchema> find(TableSchema table, String name) {
        return table.columns().stream().filter(column -> column.name().equals(name)).findFirst();
    }

    private static String name(ConnectorTableHandle tableHandle, ColumnHandle column) {
        return StorageTables.requireTable(tableHandle)
                .table()
                .column(((SteleColumnHandle) column).id())
                .name();
    }
}
