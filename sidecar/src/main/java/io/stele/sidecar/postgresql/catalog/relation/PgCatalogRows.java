package io.stele.sidecar.postgresql.catalog.relation;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * A builder of the rows of {@code pg_catalog} about users' tables and views. Confined to one
 * thread.
 */
final class PgCatalogRows {
    private static final int CLASS_OID = 1259;
    private static final int HEAP = 2;
    private static final int BTREE = 403;
    private static final int DATABASE_OID = 5;

    private final RelationRows rows;
    private final String database;
    private final Map<Integer, Integer> operatorClasses; // by type

    PgCatalogRows(RelationRows rows, String database) {
        this.rows = requireNonNull(rows, "rows is null");
        this.database = requireNonNull(database, "database is null");
        ImmutableMap.Builder<Integer, Integer> classes = ImmutableMap.builder();
        Relation.Definition definition =
                SystemCatalog.INSTANCE
                        .definition(SystemCatalog.PG_CATALOG, "pg_opclass")
                        .orElseThrow();
        int type = definition.indexOf("opcintype");
        for (Object[] row :
                SystemCatalog.INSTANCE.rowsByRelation().getOrDefault("pg_opclass", List.of())) {
            classes.put(
                    (int) CatalogValues.integer(row[type]), (int) CatalogValues.integer(row[0]));
        }
        operatorClasses = classes.buildKeepingLast();
    }

    /**
     * Adds the rows that do not depend on tables: the database, its system relations and schemas.
     */
    void addSystem() {
        namespace(SystemCatalog.PG_CATALOG_OID, SystemCatalog.PG_CATALOG);
        namespace(SystemCatalog.INFORMATION_SCHEMA_OID, SystemCatalog.INFORMATION_SCHEMA);
        rows.add(
                "pg_database",
                "oid",
                DATABASE_OID,
                "datname",
                database,
                "datdba",
                owner(),
                "encoding",
                6,
                "datlocprovider",
                "c",
                "datistemplate",
                false,
                "datallowconn",
                true,
                "datconnlimit",
                -1,
                "dattablespace",
                1663,
                "datcollate",
                "C.UTF-8",
                "datctype",
                "C.UTF-8",
                "datfrozenxid",
                1,
                "datminmxid",
                1);
        CatalogSettings.DEFAULTS.forEach(
                (name, value) ->
                        rows.add(
                                "pg_settings",
                                "name",
                                name,
                                "setting",
                                value,
                                "context",
                                "user",
                                "vartype",
                                "string",
                                "source",
                                "default",
                                "boot_val",
                                value,
                                "reset_val",
                                value,
                                "category",
                                "",
                                "short_desc",
                                "",
                                "pending_restart",
                                false));
        for (Relation.Definition definition : SystemCatalog.INSTANCE.definitions()) {
            system(definition);
        }
    }

    /** The OID of the role that owns all objects that clients see. */
    static int owner() {
        return SystemCatalog.FIRST_ROLE_OID;
    }

    void namespace(int oid, String name) {
        rows.add("pg_namespace", "oid", oid, "nspname", name, "nspowner", owner());
    }

    private void system(Relation.Definition definition) {
        boolean isInformation = definition.schema().equals(SystemCatalog.INFORMATION_SCHEMA);
        int namespace =
                isInformation ? SystemCatalog.INFORMATION_SCHEMA_OID : SystemCatalog.PG_CATALOG_OID;
        int columns = definition.columns().size() - 1;
        relation(definition.oid(), definition.name(), namespace, definition.kind(), columns, 0);
        for (int index = 0; index < columns; index++) {
            Relation.Column column = definition.columns().get(index);
            attribute(
                    definition.oid(),
                    index + 1,
                    column.name(),
                    new ColumnTypes(column.type(), -1),
                    false,
                    false);
        }
    }

    private void relation(
            int oid, String name, int namespace, char kind, int columns, int indexes) {
        rows.add(
                "pg_class",
                "oid",
                oid,
                "relname",
                name,
                "relnamespace",
                namespace,
                "reltype",
                0,
                "reloftype",
                0,
                "relowner",
                owner(),
                "relam",
                kind == 'i' ? BTREE : kind == 'v' ? 0 : HEAP,
                "relfilenode",
                0,
                "reltablespace",
                0,
                "relpages",
                0,
                "reltuples",
                -1.0,
                "relallvisible",
                0,
                "reltoastrelid",
                0,
                "relhasindex",
                indexes > 0,
                "relisshared",
                false,
                "relpersistence",
                "p",
                "relkind",
                String.valueOf(kind),
                "relnatts",
                columns,
                "relchecks",
                0,
                "relhasrules",
                kind == 'v',
                "relhastriggers",
                false,
                "relhassubclass",
                false,
                "relrowsecurity",
                false,
                "relforcerowsecurity",
                false,
                "relispopulated",
                true,
                "relreplident",
                kind == 'r' ? "d" : "n",
                "relispartition",
                false,
                "relrewrite",
                0,
                "relfrozenxid",
                0,
                "relminmxid",
                0);
    }

    private void attribute(
            int relation,
            int number,
            String name,
            ColumnTypes type,
            boolean notNull,
            boolean hasDefault) {
        int length =
                SystemCatalog.INSTANCE.type(type.oid()).map(SystemCatalog.Type::length).orElse(-1);
        int collation =
                SystemCatalog.INSTANCE
                        .type(type.oid())
                        .map(SystemCatalog.Type::collation)
                        .orElse(0);
        rows.add(
                "pg_attribute",
                "attrelid",
                relation,
                "attname",
                name,
                "atttypid",
                type.oid(),
                "attstattarget",
                -1,
                "attlen",
                length,
                "attnum",
                number,
                "attndims",
                0,
                "attcacheoff",
                -1,
                "atttypmod",
                type.modifier(),
                "attbyval",
                length > 0 && length <= 8,
                "attalign",
                "i",
                "attstorage",
                length > 0 ? "p" : "x",
                "attcompression",
                "",
                "attnotnull",
                notNull,
                "atthasdef",
                hasDefault,
                "atthasmissing",
                false,
                "attidentity",
                "",
                "attgenerated",
                "",
                "attisdropped",
                false,
                "attislocal",
                true,
                "attinhcount",
                0,
                "attcollation",
                collation);
    }

    void add(UserRelation relation, int namespace) {
        relation(
                relation.oid(),
                relation.name(),
                namespace,
                relation.kind(),
                relation.columns().size(),
                relation.indexes().size());
        relation.comment().ifPresent(text -> comment(relation.oid(), 0, text));
        for (int index = 0; index < relation.columns().size(); index++) {
            UserRelation.Column column = relation.columns().get(index);
            int number = index + 1;
            attribute(
                    relation.oid(),
                    number,
                    column.name(),
                    column.type(),
                    column.isNotNull(),
                    column.defaultValue().isPresent());
            column.comment().ifPresent(text -> comment(relation.oid(), number, text));
            column.defaultValue()
                    .ifPresent(
                            text ->
                                    rows.add(
                                            "pg_attrdef",
                                            "oid",
                                            column.defaultOid(),
                                            "adrelid",
                                            relation.oid(),
                                            "adnum",
                                            number,
                                            "adbin",
                                            text));
        }
        relation.indexes().forEach(index -> index(relation, index, namespace));
        listed(relation);
    }

    private void comment(int relation, int column, String text) {
        rows.add(
                "pg_description",
                "objoid",
                relation,
                "classoid",
                CLASS_OID,
                "objsubid",
                column,
                "description",
                text);
    }

    private void index(UserRelation relation, UserRelation.Index index, int namespace) {
        int columns = index.columns().size();
        relation(index.oid(), index.name(), namespace, 'i', columns, 0);
        List<Object> numbers = new ArrayList<>();
        List<Object> classes = new ArrayList<>();
        List<Object> collations = new ArrayList<>();
        for (int position = 0; position < columns; position++) {
            int number = index.columns().get(position);
            UserRelation.Column column = relation.columns().get(number - 1);
            int type = column.type().oid();
            attribute(index.oid(), position + 1, column.name(), column.type(), false, false);
            numbers.add((long) number);
            int comparable = type == TypeOids.VARCHAR ? TypeOids.TEXT : type;
            classes.add((long) operatorClasses.getOrDefault(comparable, 0));
            collations.add(
                    (long)
                            SystemCatalog.INSTANCE
                                    .type(type)
                                    .map(SystemCatalog.Type::collation)
                                    .orElse(0));
        }
        rows.add(
                "pg_index",
                "indexrelid",
                index.oid(),
                "indrelid",
                relation.oid(),
                "indnatts",
                columns,
                "indnkeyatts",
                columns,
                "indisunique",
                index.isUnique(),
                "indnullsnotdistinct",
                false,
                "indisprimary",
                index.isPrimary(),
                "indisexclusion",
                false,
                "indimmediate",
                true,
                "indisclustered",
                false,
                "indisvalid",
                index.isReady(),
                "indcheckxmin",
                false,
                "indisready",
                true,
                "indislive",
                true,
                "indisreplident",
                false,
                "indkey",
                vector(numbers),
                "indcollation",
                vector(collations),
                "indclass",
                vector(classes),
                "indoption",
                vector(Collections.nCopies(columns, 0L)));
        if (index.isPrimary()) {
            rows.add(
                    "pg_constraint",
                    "oid",
                    index.constraintOid(),
                    "conname",
                    index.name(),
                    "connamespace",
                    namespace,
                    "contype",
                    "p",
                    "condeferrable",
                    false,
                    "condeferred",
                    false,
                    "convalidated",
                    true,
                    "conrelid",
                    relation.oid(),
                    "contypid",
                    0,
                    "conindid",
                    index.oid(),
                    "conparentid",
                    0,
                    "confrelid",
                    0,
                    "confupdtype",
                    " ",
                    "confdeltype",
                    " ",
                    "confmatchtype",
                    " ",
                    "conislocal",
                    true,
                    "coninhcount",
                    0,
                    "connoinherit",
                    true,
                    "conkey",
                    new CatalogValues.Elements(numbers));
        }
        rows.add(
                "pg_indexes",
                "schemaname",
                relation.schema(),
                "tablename",
                relation.name(),
                "indexname",
                index.name(),
                "indexdef",
                Definitions.index(relation, index));
    }

    private static CatalogValues.Elements vector(List<? extends Object> values) {
        return new CatalogValues.Elements(new ArrayList<>(values), 0);
    }

    /** Adds a relation to the system views that list its kind. */
    private void listed(UserRelation relation) {
        String definition = relation.definition().map(text -> text + ";").orElse("");
        switch (relation.kind()) {
            case 'v' ->
                    rows.add(
                            "pg_views",
                            "schemaname",
                            relation.schema(),
                            "viewname",
                            relation.name(),
                            "viewowner",
                            CatalogSettings.OWNER,
                            "definition",
                            definition);
            case 'm' ->
                    rows.add(
                            "pg_matviews",
                            "schemaname",
                            relation.schema(),
                            "matviewname",
                            relation.name(),
                            "matviewowner",
                            CatalogSettings.OWNER,
                            "hasindexes",
                            false,
                            "ispopulated",
                            true,
                            "definition",
                            definition);
            default -> {
                rows.add(
                        "pg_tables",
                        "schemaname",
                        relation.schema(),
                        "tablename",
                        relation.name(),
                        "tableowner",
                        CatalogSettings.OWNER,
                        "hasindexes",
                        !relation.indexes().isEmpty(),
                        "hasrules",
                        false,
                        "hastriggers",
                        false,
                        "rowsecurity",
                        false);
                for (String statistics :
                        List.of(
                                "pg_stat_user_tables", "pg_stat_all_tables",
                                "pg_statio_user_tables", "pg_statio_all_tables")) {
                    rows.add(
                            statistics,
                            "relid",
                            relation.oid(),
                            "schemaname",
                            relation.schema(),
                            "relname",
                            relation.name());
                }
            }
        }
    }
}
