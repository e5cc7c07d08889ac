package io.stele.sidecar.action;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.CompletedStatement;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.catalog.TableState;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.AlterTableRequest;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.DropSchemaRequest;
import io.stele.protocol.api.catalog.ListSchemasReply;
import io.stele.protocol.api.catalog.ListTablesReply;
import io.stele.protocol.api.catalog.ListTablesRequest;
import io.stele.protocol.api.catalog.RenameSchemaRequest;
import io.stele.protocol.api.catalog.RenameTableRequest;
import io.stele.protocol.api.catalog.SetCommentRequest;
import io.stele.protocol.api.catalog.SetDefaultRequest;
import io.stele.protocol.api.catalog.SetOptionsRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.engine.Blocking;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.flight.call.QueryIdentityInterceptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The handlers of the catalog actions on schemas and tables. Thread-safe; they wait for the engine.
 */
final class CatalogHandlers {
    private final EngineService engine;

    CatalogHandlers(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    List<ActionHandler> handlers() {
        return List.of(
                ActionHandler.statement(
                        CatalogActions.CREATE_SCHEMA,
                        "Creates a schema",
                        this::catalog,
                        this::createSchema,
                        (_, _) -> DONE),
                ActionHandler.statement(
                        CatalogActions.DROP_SCHEMA,
                        "Drops a schema",
                        this::catalog,
                        this::dropSchema,
                        (_, _) -> DONE),
                ActionHandler.statement(
                        CatalogActions.RENAME_SCHEMA,
                        "Renames a schema",
                        this::catalog,
                        this::renameSchema,
                        (_, _) -> DONE),
                ActionHandler.of(
                        CatalogActions.LIST_SCHEMAS, "Lists the schemas", this::listSchemas),
                ActionHandler.statement(
                        CatalogActions.CREATE_TABLE,
                        "Creates a table",
                        this::catalog,
                        this::createTable,
                        this::described),
                ActionHandler.statement(
                        CatalogActions.DROP_TABLE,
                        "Drops a table",
                        this::catalog,
                        this::dropTable,
                        (_, _) -> DONE),
                ActionHandler.statement(
                        CatalogActions.TRUNCATE_TABLE,
                        "Empties a table",
                        this::catalog,
                        this::truncateTable,
                        this::described),
                ActionHandler.statement(
                        CatalogActions.RENAME_TABLE,
                        "Renames a table",
                        this::catalog,
                        this::renameTable,
                        this::described),
                ActionHandler.of(
                        CatalogActions.LIST_TABLES,
                        "Lists the tables of a schema, or all",
                        this::listTables),
                ActionHandler.of(CatalogActions.GET_TABLE, "Describes a table", this::getTable),
                ActionHandler.of(
                        CatalogActions.NODE_ADDRESS,
                        "Says at which ports the sidecar listens",
                        request -> engine.address()),
                ActionHandler.statement(
                        CatalogActions.SET_COMMENT,
                        "Sets the comment of a table or column",
                        this::catalog,
                        this::setComment,
                        this::described),
                ActionHandler.statement(
                        CatalogActions.SET_DEFAULT,
                        "Sets the default value of a column",
                        this::catalog,
                        this::setDefault,
                        this::described),
                ActionHandler.statement(
                        CatalogActions.SET_OPTIONS,
                        "Changes options of a table",
                        this::catalog,
                        this::setOptions,
                        this::optionsSet),
                ActionHandler.statement(
                        CatalogActions.ALTER_TABLE,
                        "Changes a column of a table, or a field inside one",
                        this::catalog,
                        this::alterTable,
                        this::altered));
    }

    private CatalogService catalog() {
        return engine.engine().catalog();
    }

    /** The table of a statement that took effect earlier, as it is now. */
    private TableDescription described(Object request, CompletedStatement earlier) {
        return engine.describe(table(earlier));
    }

    private TableSchema table(CompletedStatement earlier) {
        return earlier.tableId()
                .flatMap(id -> catalog().current().findTable(id))
                .map(TableEntry::schema)
                .orElseThrow(
                        () ->
                                new SteleException(
                                        ErrorCode.STALE_TABLE,
                                        "Statement %s took effect, and its table was dropped since"
                                                .formatted(earlier.id())));
    }

    private Done createSchema(CreateSchemaRequest request) {
        try {
            catalog().createSchema(request.schemaName());
        } catch (SteleException e) {
            if (e.code() != ErrorCode.SCHEMA_ALREADY_EXISTS || !request.ignoreExisting()) {
                throw e;
            }
        }
        return DONE;
    }

    private Done dropSchema(DropSchemaRequest request) {
        catalog().dropSchema(request.schemaName(), request.cascade());
        return DONE;
    }

    private Done renameSchema(RenameSchemaRequest request) {
        catalog().renameSchema(request.schemaName(), request.newName());
        return DONE;
    }

    private ListSchemasReply listSchemas() {
        return new ListSchemasReply(List.copyOf(catalog().current().schemas()));
    }

    private TableDescription createTable(CreateTableRequest request) {
        TableSchema created;
        try {
            created = create(request);
        } catch (SteleException e) {
            if (e.code() != ErrorCode.TABLE_ALREADY_EXISTS || !request.ignoreExisting()) {
                throw e;
            }
            // Dropped again by now: then it was there for a moment, and is created
            created =
                    catalog()
                            .current()
                            .findTable(request.schema().schemaName(), request.schema().tableName())
                            .orElseGet(() -> create(request));
        }
        return engine.describe(created);
    }

    private TableSchema create(CreateTableRequest request) {
        boolean replaces = request.replace().orElse(false);
        if (replaces && !request.staged()) {
            return catalog().createOrReplaceTable(request.schema(), request.tableGroupName());
        }
        TableState staged = replaces ? TableState.REPLACEMENT : TableState.STAGED;
        return catalog()
                .createTable(
                        request.schema(),
                        request.tableGroupName(),
                        request.staged() ? staged : TableState.PUBLIC);
    }

    private Done dropTable(TableRequest request) {
        catalog().dropTable(engine.resolve(request).id());
        return DONE;
    }

    private TableDescription truncateTable(TableRequest request) {
        return engine.describe(catalog().truncateTable(engine.resolve(request).id()));
    }

    private TableDescription renameTable(RenameTableRequest request) {
        TableName name = request.newName();
        return engine.describe(
                catalog().renameTable(request.tableId(), name.schemaName(), name.tableName()));
    }

    private ListTablesReply listTables(ListTablesRequest request) {
        Catalog current = catalog().current();
        List<TableName> names = new ArrayList<>();
        for (String schema :
                request.schemaName()
                        .map(List::of)
                        .orElseGet(() -> List.copyOf(current.schemas()))) {
            for (TableSchema table : current.listTables(schema)) {
                names.add(new TableName(table.schemaName(), table.tableName()));
            }
        }
        return new ListTablesReply(names);
    }

    private TableDescription getTable(TableRequest request) {
        return engine.describe(engine.resolve(request));
    }

    private TableDescription setComment(SetCommentRequest request) {
        return engine.describe(
                request.columnId().isPresent()
                        ? catalog()
                                .setColumnComment(
                                        request.tableId(),
                                        request.columnId().get(),
                                        request.comment())
                        : catalog().setTableComment(request.tableId(), request.comment()));
    }

    private TableDescription setDefault(SetDefaultRequest request) {
        return engine.describe(
                catalog()
                        .setColumnDefault(
                                request.tableId(), request.columnId(), request.defaultValue()));
    }

    private TableDescription alterTable(AlterTableRequest request) {
        return engine.describe(
                Blocking.await(
                        engine.engine()
                                .alterTable(
                                        request.tableId(),
                                        request.schemaVersion(),
                                        request.change())));
    }

    private TableDescription altered(AlterTableRequest request, CompletedStatement earlier) {
        TableSchema table = table(earlier);
        Blocking.await(engine.engine().inEffect(table));
        return engine.describe(table);
    }

    private TableDescription optionsSet(SetOptionsRequest request, CompletedStatement earlier) {
        TableSchema changed = table(earlier);
        if (request.changed().contains(TableOption.INDEXES)) {
            checkIndexes(changed, request.values());
        }
        return withIndexes(changed, request);
    }

    /** A unique index with two rows of one value is dropped when its build finds them. */
    private static void checkIndexes(TableSchema table, TableOptions asked) {
        Set<String> present =
                table.options().indexes().stream()
                        .map(IndexSchema::name)
                        .collect(Collectors.toSet());
        for (IndexSchema index : asked.indexes()) {
            if (!present.contains(index.name())) {
                throw new SteleException(
                        ErrorCode.STALE_TABLE,
                        "Expected index '%s' of table %s.%s, which the statement added; it was dropped since: by another statement, or because its build failed"
                                .formatted(index.name(), table.schemaName(), table.tableName()));
            }
        }
    }

    private TableDescription setOptions(SetOptionsRequest request) {
        TableSchema changed =
                catalog().setOptions(request.tableId(), request.changed(), request.values());
        return withIndexes(changed, request);
    }

    private TableDescription withIndexes(TableSchema changed, SetOptionsRequest request) {
        TableSchema described = changed;
        if (request.changed().contains(TableOption.INDEXES)) {
            IndexWaiting.await(engine.engine(), changed, QueryIdentityInterceptor.user());
            described = catalog().current().table(changed.id());
        }
        return engine.describe(described);
    }
}
