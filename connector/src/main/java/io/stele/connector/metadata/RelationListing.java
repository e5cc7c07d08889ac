package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.connector.metadata.catalog.TableDefinitions;
import io.stele.connector.metadata.transaction.TransactionSnapshot;
import io.stele.connector.metadata.view.Views;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RelationCommentMetadata;
import io.trino.spi.connector.SchemaTableName;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Lists of tables, views and materialized views for {@code information_schema} and JDBC. Relations
 * that are dropped meanwhile are left out. Thread-safe.
 */
final class RelationListing {
    private final TransactionSnapshot snapshot;
    private final TableDefinitions definitions;

    RelationListing(TransactionSnapshot snapshot, TableDefinitions definitions) {
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
    }

    List<SchemaTableName> names(Optional<String> schemaName) {
        return ImmutableList.<SchemaTableName>builder()
                .addAll(snapshot.tables(schemaName))
                .addAll(snapshot.views(schemaName).stream().map(Views::nameOf).iterator())
                .build();
    }

    Iterator<RelationColumnsMetadata> columns(
            Optional<String> schemaName, UnaryOperator<Set<SchemaTableName>> filter) {
        return each(schemaName, filter, this::columnsOf, Views::columnsOf);
    }

    Iterator<RelationCommentMetadata> comments(
            Optional<String> schemaName, UnaryOperator<Set<SchemaTableName>> filter) {
        return each(schemaName, filter, RelationListing::commentOf, Views::commentOf);
    }

    private <T> Iterator<T> each(
            Optional<String> schemaName,
            UnaryOperator<Set<SchemaTableName>> filter,
            Function<TableSchema, T> ofTable,
            Function<ViewSchema, Optional<T>> ofView) {
        Stream<T> tables =
                filter.apply(new HashSet<>(snapshot.tables(schemaName))).stream()
                        .flatMap(name -> snapshot.findTable(name).stream())
                        .map(TableDescription::schema)
                        .map(ofTable);
        List<ViewSchema> views = snapshot.views(schemaName);
        Set<SchemaTableName> viewNames = new HashSet<>();
        views.forEach(view -> viewNames.add(Views.nameOf(view)));
        Set<SchemaTableName> wantedViews = filter.apply(viewNames);
        return Stream.concat(
                        tables,
                        views.stream()
                                .filter(view -> wantedViews.contains(Views.nameOf(view)))
                                .flatMap(view -> ofView.apply(view).stream()))
                .iterator();
    }

    private RelationColumnsMetadata columnsOf(TableSchema table) {
        ConnectorTableMetadata metadata = definitions.toTrino(table);
        return RelationColumnsMetadata.forTable(metadata.getTable(), metadata.getColumns());
    }

    private static RelationCommentMetadata commentOf(TableSchema table) {
        return RelationCommentMetadata.forRelation(
                new SchemaTableName(table.schemaName(), table.tableName()), table.comment());
    }
}
