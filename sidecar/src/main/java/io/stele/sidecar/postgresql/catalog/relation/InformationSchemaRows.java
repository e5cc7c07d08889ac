package io.stele.sidecar.postgresql.catalog.relation;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/** A builder of the rows of {@code information_schema}. Confined to one thread. */
final class InformationSchemaRows {
    private final RelationRows rows;
    private final String database;

    InformationSchemaRows(RelationRows rows, String database) {
        this.rows = requireNonNull(rows, "rows is null");
        this.database = requireNonNull(database, "database is null");
    }

    private void add(String relation, Object... values) {
        rows.addTo(SystemCatalog.INFORMATION_SCHEMA, relation, values);
    }

    void addSystem() {
        add("information_schema_catalog_name", "catalog_name", database);
        schema(SystemCatalog.PG_CATALOG);
        schema(SystemCatalog.INFORMATION_SCHEMA);
        for (Relation.Definition definition : SystemCatalog.INSTANCE.definitions()) {
            String type = definition.kind() == 'v' ? "VIEW" : "BASE TABLE";
            table(definition.schema(), definition.name(), type, false);
            List<Relation.Column> columns = definition.columns();
            for (int index = 0; index < columns.size() - 1; index++) {
                Relation.Column column = columns.get(index);
                column(
                        definition.schema(),
                        definition.name(),
                        index + 1,
                        new UserRelation.Column(
                                column.name(),
                                new ColumnTypes(column.type(), -1),
                                false,
                                Optional.empty(),
                                Optional.empty(),
                                0),
                        false);
            }
        }
    }

    void schema(String name) {
        add(
                "schemata",
                "catalog_name",
                database,
                "schema_name",
                name,
                "schema_owner",
                CatalogSettings.OWNER);
    }

    private void table(String schema, String name, String type, boolean isInsertable) {
        add(
                "tables",
                "table_catalog",
                database,
                "table_schema",
                schema,
                "table_name",
                name,
                "table_type",
                type,
                "is_insertable_into",
                yes(isInsertable),
                "is_typed",
                "NO");
    }

    void add(UserRelation relation) {
        if (relation.kind() == 'm') {
            return; // the standard has no materialized views, and PostgreSQL does not list them
        }
        boolean isTable = relation.kind() == 'r';
        table(relation.schema(), relation.name(), isTable ? "BASE TABLE" : "VIEW", isTable);
        for (int index = 0; index < relation.columns().size(); index++) {
            column(
                    relation.schema(),
                    relation.name(),
                    index + 1,
                    relation.columns().get(index),
                    isTable);
        }
        relation.definition()
                .ifPresent(
                        text ->
                                add(
                                        "views",
                                        "table_catalog",
                                        database,
                                        "table_schema",
                                        relation.schema(),
                                        "table_name",
                                        relation.name(),
                                        "view_definition",
                                        text + ";",
                                        "check_option",
                                        "NONE",
                                        "is_updatable",
                                        "NO",
                                        "is_insertable_into",
                                        "NO",
                                        "is_trigger_updatable",
                                        "NO",
                                        "is_trigger_deletable",
                                        "NO",
                                        "is_trigger_insertable_into",
                                        "NO"));
        relation.indexes().stream()
                .filter(UserRelation.Index::isPrimary)
                .forEach(key -> primaryKey(relation, key));
    }

    private void primaryKey(UserRelation relation, UserRelation.Index key) {
        add(
                "table_constraints",
                "constraint_catalog",
                database,
                "constraint_schema",
                relation.schema(),
                "constraint_name",
                key.name(),
                "table_catalog",
                database,
                "table_schema",
                relation.schema(),
                "table_name",
                relation.name(),
                "constraint_type",
                "PRIMARY KEY",
                "is_deferrable",
                "NO",
                "initially_deferred",
                "NO",
                "enforced",
                "YES");
        for (int position = 0; position < key.columns().size(); position++) {
            String column = relation.columns().get(key.columns().get(position) - 1).name();
            add(
                    "key_column_usage",
                    "constraint_catalog",
                    database,
                    "constraint_schema",
                    relation.schema(),
                    "constraint_name",
                    key.name(),
                    "table_catalog",
                    database,
                    "table_schema",
                    relation.schema(),
                    "table_name",
                    relation.name(),
                    "column_name",
                    column,
                    "ordinal_position",
                    position + 1);
            add(
                    "constraint_column_usage",
                    "table_catalog",
                    database,
                    "table_schema",
                    relation.schema(),
                    "table_name",
                    relation.name(),
                    "column_name",
                    column,
                    "constraint_catalog",
                    database,
                    "constraint_schema",
                    relation.schema(),
                    "constraint_name",
                    key.name());
        }
    }

    private void column(
            String schema,
            String table,
            int number,
            UserRelation.Column column,
            boolean isUpdatable) {
        ColumnTypes type = column.type();
        String name =
                SystemCatalog.INSTANCE
                        .type(type.oid())
                        .map(SystemCatalog.Type::name)
                        .orElse("unknown");
        boolean isArray = SystemCatalog.INSTANCE.elementOf(type.oid()) != 0;
        add(
                "columns",
                "table_catalog",
                database,
                "table_schema",
                schema,
                "table_name",
                table,
                "column_name",
                column.name(),
                "ordinal_position",
                number,
                "column_default",
                column.defaultValue().map(text -> (Object) text).orElse(CatalogValues.NULL),
                "is_nullable",
                yes(!column.isNotNull()),
                "data_type",
                isArray ? "ARRAY" : TypeNames.format(type.oid(), -1),
                "character_maximum_length",
                length(type),
                "numeric_precision",
                precision(type),
                "numeric_precision_radix",
                radix(type),
                "numeric_scale",
                scale(type),
                "datetime_precision",
                timePrecision(type),
                "udt_catalog",
                database,
                "udt_schema",
                SystemCatalog.PG_CATALOG,
                "udt_name",
                name,
                "dtd_identifier",
                String.valueOf(number),
                "is_self_referencing",
                "NO",
                "is_identity",
                "NO",
                "identity_cycle",
                "NO",
                "is_generated",
                "NEVER",
                "is_updatable",
                yes(isUpdatable));
    }

    private static String yes(boolean flag) {
        return flag ? "YES" : "NO";
    }

    private static Object length(ColumnTypes type) {
        boolean hasLength =
                (type.oid() == TypeOids.VARCHAR || type.oid() == TypeOids.BPCHAR)
                        && type.modifier() >= 0;
        return hasLength ? (Object) (type.modifier() - 4) : CatalogValues.NULL;
    }

    private static Object precision(ColumnTypes type) {
        return switch (type.oid()) {
            case TypeOids.INT2 -> 16;
            case TypeOids.INT4 -> 32;
            case TypeOids.INT8 -> 64;
            case TypeOids.FLOAT4 -> 24;
            case TypeOids.FLOAT8 -> 53;
            case TypeOids.NUMERIC ->
                    type.modifier() < 0
                            ? CatalogValues.NULL
                            : (Object) ((type.modifier() - 4) >> 16);
            default -> CatalogValues.NULL;
        };
    }

    private static Object radix(ColumnTypes type) {
        return switch (type.oid()) {
            case TypeOids.INT2, TypeOids.INT4, TypeOids.INT8, TypeOids.FLOAT4, TypeOids.FLOAT8 -> 2;
            case TypeOids.NUMERIC -> 10;
            default -> CatalogValues.NULL;
        };
    }

    private static Object scale(ColumnTypes type) {
        return switch (type.oid()) {
            case TypeOids.INT2, TypeOids.INT4, TypeOids.INT8 -> 0;
            case TypeOids.NUMERIC ->
                    type.modifier() < 0
                            ? CatalogValues.NULL
                            : (Object) ((type.modifier() - 4) & 0x7ff);
            default -> CatalogValues.NULL;
        };
    }

    private static Object timePrecision(ColumnTypes type) {
        return switch (type.oid()) {
            case TypeOids.DATE -> 0;
            case TypeOids.TIME, TypeOids.TIMESTAMP, TypeOids.TIMESTAMPTZ ->
                    type.modifier() < 0 ? (Object) 6 : (Object) type.modifier();
            default -> CatalogValues.NULL;
        };
    }
}
