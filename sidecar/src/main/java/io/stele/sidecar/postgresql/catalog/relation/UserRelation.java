package io.stele.sidecar.postgresql.catalog.relation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.engine.catalog.Catalog;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A user's table or view as PostgreSQL's catalog describes it, with OIDs, columns and indexes.
 *
 * @param kind as {@code pg_class.relkind}: r, v or m
 * @param definition the query of a view
 */
public record UserRelation(
        int oid,
        String schema,
        String name,
        char kind,
        List<Column> columns,
        List<Index> indexes,
        Optional<String> comment,
        Optional<String> definition) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public UserRelation {
        columns = List.copyOf(columns);
        indexes = List.copyOf(indexes);
    }

    /** A column; its number is its place in the list, from 1. */
    public record Column(
            String name,
            ColumnTypes type,
            boolean isNotNull,
            Optional<String> defaultValue,
            Optional<String> comment,
            int defaultOid) {}

    /**
     * An index.
     *
     * @param columns numbers of columns, from 1
     * @param constraintOid of a primary key; else 0
     */
    public record Index(
            int oid,
            String name,
            List<Integer> columns,
            boolean isUnique,
            boolean isPrimary,
            boolean isReady,
            int constraintOid) {
        public Index {
            columns = List.copyOf(columns);
        }
    }

    /** All public tables and views of a schema. */
    static List<UserRelation> of(Catalog catalog, String schema, ObjectIds ids) {
        List<UserRelation> relations = new ArrayList<>();
        for (TableSchema table : catalog.listTables(schema)) {
            relations.add(table(table, ids));
        }
        for (ViewSchema view : catalog.listViews(schema)) {
            relations.add(view(catalog, view, ids));
        }
        return relations;
    }

    private static UserRelation table(TableSchema table, ObjectIds ids) {
        List<Index> indexes = new ArrayList<>();
        String identity = table.id() + "/";
        if (table.hasPrimaryKey()) {
            indexes.add(
                    new Index(
                            ids.hashed(ObjectIds.Kind.INDEX, identity + 0),
                            table.tableName() + "_pkey",
                            numbers(table, table.primaryKey()),
                            true,
                            true,
                            true,
                            ids.hashed(ObjectIds.Kind.CONSTRAINT, identity + 0)));
        }
        for (IndexSchema index : table.options().indexes()) {
            indexes.add(
                    new Index(
                            ids.hashed(ObjectIds.Kind.INDEX, identity + index.id()),
                            index.name(),
                            numbers(table, index.columns()),
                            index.unique(),
                            false,
                            index.ready(),
                            0));
        }
        return new UserRelation(
                ids.table(table.id()),
                table.schemaName(),
                table.tableName(),
                'r',
                columns(table, ids),
                indexes,
                table.comment(),
                Optional.empty());
    }

    private static List<Integer> numbers(TableSchema table, List<Integer> columnIds) {
        return columnIds.stream().map(id -> table.indexOf(id) + 1).toList();
    }

    private static List<Column> columns(TableSchema table, ObjectIds ids) {
        List<Column> columns = new ArrayList<>();
        for (ColumnSchema column : table.columns()) {
            String identity = table.id() + "/" + column.id();
            columns.add(
                    new Column(
                            column.name(),
                            ColumnTypes.of(column.type()),
                            !column.nullable(),
                            column.defaultValue(),
                            column.comment(),
                            column.defaultValue().isPresent()
                                    ? ids.hashed(ObjectIds.Kind.DEFAULT, identity)
                                    : 0));
        }
        return columns;
    }

    private static UserRelation view(Catalog catalog, ViewSchema view, ObjectIds ids) {
        JsonNode document = document(view.definition());
        List<Column> columns =
                view.storageTable()
                        .flatMap(catalog::findTable)
                        .map(storage -> columns(storage.schema(), ids))
                        .orElseGet(() -> columns(document));
        return new UserRelation(
                ids.hashed(ObjectIds.Kind.VIEW, view.qualifiedName()),
                view.schemaName(),
                view.viewName(),
                view.isMaterialized() ? 'm' : 'v',
                columns,
                List.of(),
                text(document, "comment"),
                Optional.of(text(document, "originalSql").orElse(view.definition())));
    }

    /** The connector's description of a view; a missing node if another client wrote it. */
    private static JsonNode document(String definition) {
        try {
            return MAPPER.readTree(definition);
        } catch (IOException e) {
            return MAPPER.missingNode();
        }
    }

    private static Optional<String> text(JsonNode node, String field) {
        return Optional.of(node.path(field)).filter(JsonNode::isTextual).map(JsonNode::asText);
    }

    private static List<Column> columns(JsonNode document) {
        List<Column> columns = new ArrayList<>();
        for (JsonNode column : document.path("columns")) {
            columns.add(
                    new Column(
                            text(column, "name").orElse("?column?"),
                            text(column, "type").map(UserRelation::type).orElse(unknownType()),
                            false,
                            Optional.empty(),
                            text(column, "comment"),
                            0));
        }
        return columns;
    }

    private static ColumnTypes type(String text) {
        try {
            return ColumnTypes.of(DataType.parse(text));
        } catch (SteleException e) {
            return unknownType(); // a type of Trino that no table can have
        }
    }

    private static ColumnTypes unknownType() {
        return new ColumnTypes(TypeOids.TEXT, -1);
    }
}
