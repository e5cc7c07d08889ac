package io.stele.sidecar.action;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogService;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.CreateViewRequest;
import io.stele.protocol.api.catalog.ListTablesRequest;
import io.stele.protocol.api.catalog.ListViewsReply;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.RenameViewRequest;
import io.stele.protocol.api.catalog.SetRefreshRequest;
import io.stele.protocol.api.catalog.SetViewRequest;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.catalog.ViewRequest;
import io.stele.protocol.schema.ViewSchema;
import io.stele.sidecar.engine.EngineService;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The handlers of the catalog actions on views and materialized views. Thread-safe; they wait for
 * the engine.
 */
final class ViewHandlers {
    private final EngineService engine;

    ViewHandlers(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    List<ActionHandler> handlers() {
        return List.of(
                ActionHandler.of(
                        CatalogActions.GET_RELATION,
                        "Describes a table or view, if there is one of the name",
                        this::getRelation),
                ActionHandler.statement(
                        CatalogActions.CREATE_VIEW,
                        "Creates a view",
                        this::catalog,
                        this::createView,
                        (request, _) -> view(request.name())),
                ActionHandler.statement(
                        CatalogActions.DROP_VIEW,
                        "Drops a view",
                        this::catalog,
                        this::dropView,
                        (_, _) -> DONE),
                ActionHandler.statement(
                        CatalogActions.RENAME_VIEW,
                        "Renames a view",
                        this::catalog,
                        this::renameView,
                        (request, _) -> view(request.newName())),
                ActionHandler.statement(
                        CatalogActions.SET_VIEW,
                        "Gives a view another definition",
                        this::catalog,
                        this::setView,
                        (request, _) -> view(request.view().name())),
                ActionHandler.statement(
                        CatalogActions.SET_REFRESH,
                        "Says what the rows of a materialized view are made of",
                        this::catalog,
                        this::setRefresh,
                        (request, _) -> viewOf(request.storageTable())),
                ActionHandler.of(
                        CatalogActions.LIST_VIEWS,
                        "Lists the views of a schema, or all",
                        this::listViews));
    }

    private CatalogService catalog() {
        return engine.engine().catalog();
    }

    private RelationReply getRelation(TableRequest request) {
        return engine.relation(request);
    }

    /** The view of a statement that took effect earlier, as it is now. */
    private ViewSchema view(TableName name) {
        return catalog()
                .current()
                .findView(name.schemaName(), name.tableName())
                .orElseThrow(() -> gone(name.schemaName() + "." + name.tableName()));
    }

    private ViewSchema viewOf(TableId storageTable) {
        return catalog().current().schemas().stream()
                .flatMap(schema -> catalog().current().listViews(schema).stream())
                .filter(view -> view.storageTable().equals(Optional.of(storageTable)))
                .findAny()
                .orElseThrow(() -> gone("of table id " + storageTable));
    }

    private static SteleException gone(String view) {
        return new SteleException(
                ErrorCode.STALE_TABLE,
                "The statement took effect, and there is no view " + view + " any more");
    }

    private ViewSchema createView(CreateViewRequest request) {
        TableName name = request.name();
        ViewSchema definition =
                new ViewSchema(
                        name.schemaName(),
                        name.tableName(),
                        1,
                        request.definition(),
                        Optional.empty(),
                        Optional.empty());
        return catalog()
                .createView(
                        definition,
                        request.storage().map(CreateTableRequest::schema),
                        request.storage().map(CreateTableRequest::tableGroupName).orElse(""),
                        request.replace());
    }

    private Done dropView(ViewRequest request) {
        TableName name = request.name();
        catalog().dropView(name.schemaName(), name.tableName(), request.materialized());
        return DONE;
    }

    private ViewSchema renameView(RenameViewRequest request) {
        TableName from = request.view().name();
        TableName to = request.newName();
        return catalog()
                .renameView(
                        from.schemaName(),
                        from.tableName(),
                        request.view().materialized(),
                        to.schemaName(),
                        to.tableName());
    }

    private ViewSchema setView(SetViewRequest request) {
        TableName name = request.view().name();
        return catalog()
                .setView(
                        name.schemaName(),
                        name.tableName(),
                        request.view().materialized(),
                        request.revision(),
                        request.definition());
    }

    private ViewSchema setRefresh(SetRefreshRequest request) {
        return catalog().setRefresh(request.storageTable(), request.refresh());
    }

    private ListViewsReply listViews(ListTablesRequest request) {
        Catalog current = catalog().current();
        List<ViewSchema> views = new ArrayList<>();
        for (String schema :
                request.schemaName()
                        .map(List::of)
                        .orElseGet(() -> List.copyOf(current.schemas()))) {
            views.addAll(current.listViews(schema));
        }
        return new ListViewsReply(views);
    }
}
