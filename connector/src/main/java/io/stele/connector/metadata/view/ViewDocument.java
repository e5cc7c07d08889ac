package io.stele.connector.metadata.view;

import static io.stele.connector.error.SteleErrorCode.STELE_CORRUPT_DATA;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.stele.connector.error.SteleErrors;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.ViewDialect;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.CatalogSchemaName;
import io.trino.spi.connector.CatalogSchemaTableName;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition.WhenStaleBehavior;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.type.TypeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The JSON definition of a view or materialized view, as stored in the sidecar's catalog and as
 * Trino needs it. Unknown fields are of a newer version and are ignored; docs/format.md describes
 * the fields.
 *
 * @param gracePeriodMillis of a materialized view, how long it may be used while it is not fresh;
 *     empty: without limit
 * @param whenStale of a materialized view, {@code INLINE} or {@code FAIL}; empty: {@code INLINE}
 */
record ViewDocument(
        String originalSql,
        Optional<String> catalog,
        Optional<String> schema,
        List<Column> columns,
        Optional<String> comment,
        Optional<String> owner,
        Optional<Boolean> runAsInvoker,
        List<PathElement> path,
        Optional<Long> gracePeriodMillis,
        Optional<String> whenStale) {
    ViewDocument {
        columns = ImmutableList.copyOf(columns);
        path = ImmutableList.copyOf(path);
    }

    /**
     * @param type Trino's id of the type
     */
    record Column(String name, String type, Optional<String> comment) {}

    /** A schema in which functions are looked up. */
    record PathElement(String catalog, String schema) {
        static List<PathElement> of(List<CatalogSchemaName> path) {
            return path.stream()
                    .map(name -> new PathElement(name.getCatalogName(), name.getSchemaName()))
                    .toList();
        }
    }

    static ViewDocument of(ConnectorViewDefinition view) {
        return new ViewDocument(
                view.getOriginalSql(),
                view.getCatalog(),
                view.getSchema(),
                view.getColumns().stream()
                        .map(
                                column ->
                                        new Column(
                                                column.getName(),
                                                column.getType().getId(),
                                                column.getComment()))
                        .toList(),
                view.getComment(),
                view.getOwner(),
                Optional.of(view.isRunAsInvoker()),
                PathElement.of(view.getPath()),
                Optional.empty(),
                Optional.empty());
    }

    static ViewDocument of(ConnectorMaterializedViewDefinition view) {
        return new ViewDocument(
                view.getOriginalSql(),
                view.getCatalog(),
                view.getSchema(),
                view.getColumns().stream()
                        .map(
                                column ->
                                        new Column(
                                                column.getName(),
                                                column.getType().getId(),
                                                column.getComment()))
                        .toList(),
                view.getComment(),
                view.getOwner(),
                Optional.empty(),
                PathElement.of(view.getPath()),
                view.getGracePeriod().map(Duration::toMillis),
                view.getWhenStaleBehavior().map(Enum::name));
    }

    /**
     * The document of a view; empty for a view of another system. Throws STELE_CORRUPT_DATA if the
     * definition is not a document.
     */
    static Optional<ViewDocument> find(ViewSchema view) {
        return dialect(view).isPresent()
                ? Optional.empty()
                : Optional.of(read(view, ViewDocument.class));
    }

    /** As {@link #find}; throws NOT_SUPPORTED for a view of another system. */
    static ViewDocument of(ViewSchema view) {
        return find(view).orElseThrow(() -> refused(view, dialect(view).orElseThrow()));
    }

    private static TrinoException refused(ViewSchema view, String dialect) {
        return new TrinoException(
                NOT_SUPPORTED,
                "Expected a view of Trino, found view '%s' of %s, which only %s can read or change"
                        .formatted(view.qualifiedName(), dialect, dialect));
    }

    private static Optional<String> dialect(ViewSchema view) {
        return read(view, ViewDialect.class).dialect();
    }

    private static <T> T read(ViewSchema view, Class<T> type) {
        try {
            return SteleErrors.translated(
                    () -> ApiJson.read(view.definition().getBytes(UTF_8), type));
        } catch (TrinoException | NullPointerException e) {
            throw new TrinoException(
                    STELE_CORRUPT_DATA,
                    "Expected the definition of view '%s' as Trino's connector writes it, found: %s"
                            .formatted(view.qualifiedName(), e.getMessage()),
                    e);
        }
    }

    String text() {
        return new String(ApiJson.write(this), UTF_8);
    }

    ConnectorViewDefinition toView() {
        return new ConnectorViewDefinition(
                originalSql,
                catalog,
                schema,
                columns.stream()
                        .map(
                                column ->
                                        new ConnectorViewDefinition.ViewColumn(
                                                column.name(),
                                                TypeId.of(column.type()),
                                                column.comment()))
                        .toList(),
                comment,
                owner,
                runAsInvoker.orElse(false),
                toPath());
    }

    ConnectorMaterializedViewDefinition toMaterializedView(CatalogSchemaTableName storageTable) {
        return new ConnectorMaterializedViewDefinition(
                originalSql,
                Optional.of(storageTable),
                catalog,
                schema,
                columns.stream()
                        .map(
                                column ->
                                        new ConnectorMaterializedViewDefinition.Column(
                                                column.name(),
                                                TypeId.of(column.type()),
                                                column.comment()))
                        .toList(),
                gracePeriodMillis.map(Duration::ofMillis),
                whenStale.map(WhenStaleBehavior::valueOf),
                comment,
                owner,
                toPath());
    }

    private List<CatalogSchemaName> toPath() {
        return path.stream()
                .map(name -> new CatalogSchemaName(name.catalog(), name.schema()))
                .toList();
    }

    ViewDocument withComment(Optional<String> newComment) {
        return with(columns, newComment);
    }

    ViewDocument withColumnComment(String columnName, Optional<String> newComment) {
        UnaryOperator<Column> change =
                column ->
                        column.name().equals(columnName)
                                ? new Column(column.name(), column.type(), newComment)
                                : column;
        return with(columns.stream().map(change).toList(), comment);
    }

    private ViewDocument with(List<Column> newColumns, Optional<String> newComment) {
        return new ViewDocument(
                originalSql,
                catalog,
                schema,
                newColumns,
                newComment,
                owner,
                runAsInvoker,
                path,
                gracePeriodMillis,
                whenStale);
    }
}
