package io.stele.connector.metadata.view;

import static java.util.Objects.requireNonNull;

import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.transaction.TransactionSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RelationCommentMetadata;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.ViewNotFoundException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The operations on views in one Trino transaction, and the operations that materialized views
 * share with them, such as drop and rename. Thread-safe.
 */
public final class Views {
    private final CatalogRequests catalog;
    private final TransactionSnapshot snapshot;

    public Views(CatalogRequests catalog, TransactionSnapshot snapshot) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
    }

    public static SchemaTableName nameOf(ViewSchema view) {
        return new SchemaTableName(view.schemaName(), view.viewName());
    }

    /** The columns of a view; empty for a view of another system, which has only its name here. */
    public static Optional<RelationColumnsMetadata> columnsOf(ViewSchema view) {
        return ViewDocument.find(view)
                .map(
                        document ->
                                view.isMaterialized()
                                        ? RelationColumnsMetadata.forMaterializedView(
                                                nameOf(view),
                                                document.toMaterializedView(
                                                                MaterializedViews.NO_STORAGE)
                                                        .getColumns())
                                        : RelationColumnsMetadata.forView(
                                                nameOf(view), document.toView().getColumns()));
    }

    /** The comment of a view; empty for a view of another system, which has only its name here. */
    public static Optional<RelationCommentMetadata> commentOf(ViewSchema view) {
        return ViewDocument.find(view)
                .map(
                        document ->
                                RelationCommentMetadata.forRelation(
                                        nameOf(view), document.comment()));
    }

    public void create(SchemaTableName name, ConnectorViewDefinition definition, boolean replace) {
        catalog.createView(name, ViewDocument.of(definition).text(), replace, Optional.empty());
        snapshot.forget(name);
    }

    public void drop(SchemaTableName name, boolean materialized) {
        catalog.dropView(name, materialized);
        snapshot.forget(name);
    }

    public void rename(SchemaTableName source, boolean materialized, SchemaTableName target) {
        catalog.renameView(source, materialized, target);
        snapshot.forget(source);
    }

    public void refresh(SchemaTableName name, ConnectorViewDefinition definition) {
        change(name, false, _ -> ViewDocument.of(definition));
    }

    public void setComment(SchemaTableName name, Optional<String> comment) {
        change(name, false, document -> document.withComment(comment));
    }

    public void setColumnComment(
            SchemaTableName name,
            boolean materialized,
            String columnName,
            Optional<String> comment) {
        change(name, materialized, document -> document.withColumnComment(columnName, comment));
    }

    private void change(
            SchemaTableName name, boolean materialized, UnaryOperator<ViewDocument> change) {
        ViewSchema view =
                snapshot.findView(name, materialized)
                        .orElseThrow(() -> new ViewNotFoundException(name));
        catalog.setView(
                name, materialized, view.revision(), change.apply(ViewDocument.of(view)).text());
        snapshot.forget(name);
    }

    public List<SchemaTableName> list(Optional<String> schemaName, boolean materialized) {
        return snapshot.views(schemaName).stream()
                .filter(view -> view.isMaterialized() == materialized)
                .map(Views::nameOf)
                .toList();
    }

    public Map<SchemaTableName, ConnectorViewDefinition> all(Optional<String> schemaName) {
        Map<SchemaTableName, ConnectorViewDefinition> definitions = new LinkedHashMap<>();
        for (ViewSchema view : snapshot.views(schemaName)) {
            if (!view.isMaterialized()) {
                ViewDocument.find(view)
                        .ifPresent(document -> definitions.put(nameOf(view), document.toView()));
            }
        }
        return definitions;
    }

    /**
     * The view; opens the transaction's snapshot with the same request, because a query may be
     * about to read the view.
     */
    public Optional<ConnectorViewDefinition> find(SchemaTableName name, Optional<Lsn> atLeast) {
        return snapshot.open(name, atLeast)
                .view()
                .filter(view -> !view.isMaterialized())
                .map(ViewDocument::of)
                .map(ViewDocument::toView);
    }
}
