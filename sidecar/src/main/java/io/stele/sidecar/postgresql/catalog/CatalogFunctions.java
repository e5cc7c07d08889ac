package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.stele.sidecar.postgresql.catalog.relation.CatalogSettings;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Definitions;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeNames;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import io.stele.sidecar.postgresql.catalog.relation.UserRelation;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import io.stele.sidecar.postgresql.type.TextFormat;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The functions of catalog queries that read the catalog or the session, such as {@code
 * pg_get_indexdef} and {@code current_setting}. Confined to one statement.
 */
final class CatalogFunctions {
    static final Map<String, Integer> TYPES = types();

    private final QueryContext context;

    CatalogFunctions(QueryContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    private static Map<String, Integer> types() {
        ImmutableMap.Builder<String, Integer> types = ImmutableMap.builder();
        put(
                types,
                TypeOids.TEXT,
                "version",
                "format_type",
                "pg_get_expr",
                "pg_get_indexdef",
                "pg_get_constraintdef",
                "pg_get_viewdef",
                "pg_get_ruledef",
                "pg_get_triggerdef",
                "pg_get_functiondef",
                "pg_get_function_arguments",
                "pg_get_function_result",
                "pg_get_function_identity_arguments",
                "pg_get_serial_sequence",
                "pg_get_statisticsobjdef_columns",
                "pg_get_partkeydef",
                "obj_description",
                "col_description",
                "shobj_description",
                "current_setting",
                "set_config",
                "pg_encoding_to_char",
                "pg_tablespace_location",
                "pg_client_encoding",
                "inet_server_addr",
                "pg_get_statisticsobjdef",
                "pg_get_function_sqlbody",
                "pg_describe_object");
        put(
                types,
                TypeOids.NAME,
                "current_schema",
                "current_database",
                "current_catalog",
                "current_user",
                "session_user",
                "user",
                "current_role",
                "pg_get_userbyid",
                "getdatabaseencoding");
        put(
                types,
                TypeOids.BOOL,
                "pg_table_is_visible",
                "pg_type_is_visible",
                "pg_function_is_visible",
                "pg_collation_is_visible",
                "pg_operator_is_visible",
                "pg_opclass_is_visible",
                "pg_opfamily_is_visible",
                "pg_conversion_is_visible",
                "pg_ts_config_is_visible",
                "pg_ts_dict_is_visible",
                "pg_ts_parser_is_visible",
                "pg_ts_template_is_visible",
                "pg_statistics_obj_is_visible",
                "has_table_privilege",
                "has_schema_privilege",
                "has_database_privilege",
                "has_column_privilege",
                "has_any_column_privilege",
                "has_function_privilege",
                "has_sequence_privilege",
                "has_type_privilege",
                "has_tablespace_privilege",
                "pg_has_role",
                "pg_is_in_recovery",
                "pg_is_other_temp_schema",
                "pg_relation_is_publishable",
                "row_security_active",
                "pg_advisory_unlock");
        put(types, TypeOids.TEXT, "pg_advisory_unlock_all");
        put(
                types,
                TypeOids.INT8,
                "pg_table_size",
                "pg_total_relation_size",
                "pg_relation_size",
                "pg_indexes_size",
                "pg_database_size",
                "pg_tablespace_size");
        put(
                types,
                TypeOids.INT4,
                "pg_backend_pid",
                "inet_server_port",
                "pg_char_to_encoding",
                "pg_column_is_updatable",
                "pg_relation_is_updatable",
                "_pg_char_max_length",
                "_pg_numeric_precision",
                "_pg_numeric_scale");
        put(types, TypeOids.NAME_ARRAY, "current_schemas");
        put(types, TypeOids.OID, "pg_my_temp_schema");
        put(types, TypeOids.REGCLASS, "to_regclass");
        put(types, TypeOids.REGTYPE, "to_regtype", "pg_typeof");
        put(types, TypeOids.REGNAMESPACE, "to_regnamespace");
        put(types, TypeOids.REGPROC, "to_regproc");
        put(
                types,
                TypeOids.TIMESTAMPTZ,
                "now",
                "current_timestamp",
                "transaction_timestamp",
                "statement_timestamp",
                "clock_timestamp",
                "pg_postmaster_start_time");
        put(types, TypeOids.TIMESTAMP, "localtimestamp");
        put(types, TypeOids.DATE, "current_date");
        put(types, TypeOids.TEXT_ARRAY, "pg_get_publication_tables");
        return types.buildOrThrow();
    }

    private static void put(
            ImmutableMap.Builder<String, Integer> types, int type, String... names) {
        for (String name : names) {
            types.put(name, type);
        }
    }

    Object call(String name, List<Object> values) {
        int type = TYPES.getOrDefault(name, 0);
        return switch (type) {
            case TypeOids.BOOL -> flag(name, values);
            case TypeOids.INT8 -> 0L; // sizes, which are not in the catalog
            case TypeOids.NAME -> name(name, values);
            case TypeOids.REGCLASS, TypeOids.REGTYPE, TypeOids.REGNAMESPACE, TypeOids.REGPROC ->
                    new Casts(context)
                            .findReference(argument(values, 0).toString(), type)
                            .orElse(CatalogValues.NULL);
            case TypeOids.TIMESTAMPTZ -> TextFormat.write(instant(name));
            case TypeOids.TIMESTAMP -> TextFormat.write(context.session().times().local());
            case TypeOids.DATE -> TextFormat.write(context.session().times().date());
            default -> other(name, values);
        };
    }

    private Instant instant(String name) {
        CurrentTimes times = context.session().times();
        return switch (name) {
            case "statement_timestamp" -> times.statement();
            case "clock_timestamp" -> times.present();
            case "pg_postmaster_start_time" -> context.serverStart();
            default -> times.transaction();
        };
    }

    private static Object argument(List<Object> values, int index) {
        if (index >= values.size()) {
            throw CatalogValues.invalid((index + 1) + " arguments", String.valueOf(values.size()));
        }
        return values.get(index);
    }

    private Object flag(String name, List<Object> values) {
        return switch (name) {
            case "pg_table_is_visible" ->
                    context.relations()
                            .isVisible(
                                    CatalogValues.integer(argument(values, 0)),
                                    context.searchPath());
            case "pg_is_in_recovery",
                    "pg_is_other_temp_schema",
                    "pg_relation_is_publishable",
                    "row_security_active",
                    "pg_advisory_unlock" ->
                    false;
            case "has_table_privilege", "has_any_column_privilege" ->
                    new TablePrivileges(context).has(values, 3);
            case "has_column_privilege" -> new TablePrivileges(context).has(values, 4);
            default -> true; // all else is visible
        };
    }

    private Object name(String name, List<Object> values) {
        return switch (name) {
            case "current_database", "current_catalog" -> context.database();
            case "getdatabaseencoding" -> "UTF8";
            case "current_schema" ->
                    context.searchPath().size() > 1
                            ? context.searchPath().get(1)
                            : CatalogValues.NULL;
            case "pg_get_userbyid" ->
                    CatalogValues.integer(argument(values, 0)) == SystemCatalog.FIRST_ROLE_OID
                            ? CatalogSettings.OWNER
                            : "unknown (OID=" + argument(values, 0) + ")";
            default -> context.session().user().name();
        };
    }

    private Object other(String name, List<Object> values) {
        return switch (name) {
            case "version" ->
                    "PostgreSQL "
                            + CatalogSettings.SERVER_VERSION
                            + " (Stele), compiled for Java, 64-bit";
            case "format_type" -> formatType(values);
            case "pg_get_expr" -> argument(values, 0);
            case "pg_get_indexdef" -> indexDefinition(values);
            case "pg_get_constraintdef" ->
                    both(argument(values, 0))
                            .map(found -> Definitions.constraint(found.table(), found.index()))
                            .map(text -> (Object) text)
                            .orElse(CatalogValues.NULL);
            case "pg_get_viewdef" -> viewDefinition(values);
            case "obj_description" -> description(argument(values, 0), Optional.empty());
            case "col_description" ->
                    description(argument(values, 0), Optional.of(argument(values, 1)));
            case "current_setting", "set_config" -> setting(name, values);
            case "pg_encoding_to_char" ->
                    CatalogValues.integer(argument(values, 0)) == 6 ? "UTF8" : "";
            case "pg_char_to_encoding" ->
                    argument(values, 0).toString().equalsIgnoreCase("UTF8") ? 6L : -1L;
            case "pg_client_encoding" -> "UTF8";
            case "pg_tablespace_location" -> "";
            case "pg_backend_pid" -> (long) context.session().processId();
            case "pg_my_temp_schema", "pg_column_is_updatable", "pg_relation_is_updatable" -> 0L;
            case "current_schemas" -> schemas(CatalogValues.bool(argument(values, 0)));
            default -> CatalogValues.NULL; // of objects that Stele does not have
        };
    }

    private static Object formatType(List<Object> values) {
        if (argument(values, 0) == CatalogValues.NULL) {
            return CatalogValues.NULL;
        }
        Object modifier = argument(values, 1);
        return TypeNames.format(
                (int) CatalogValues.integer(values.get(0)),
                modifier == CatalogValues.NULL ? -2 : CatalogValues.integer(modifier));
    }

    /** An index with its table. */
    private record Both(UserRelation table, UserRelation.Index index) {}

    private Optional<Both> both(Object oid) {
        long number = CatalogValues.integer(oid);
        return context.relations()
                .index(number)
                .flatMap(
                        index ->
                                context.relations()
                                        .indexed(number)
                                        .map(table -> new Both(table, index)));
    }

    private Object indexDefinition(List<Object> values) {
        Optional<Both> found = both(argument(values, 0));
        if (found.isEmpty()) {
            return CatalogValues.NULL;
        }
        UserRelation table = found.get().table();
        UserRelation.Index index = found.get().index();
        long column = values.size() > 1 ? CatalogValues.integer(values.get(1)) : 0;
        if (column == 0) {
            return Definitions.index(table, index);
        }
        if (column < 0 || column > index.columns().size()) {
            return "";
        }
        int number = index.columns().get((int) column - 1);
        return Definitions.quote(table.columns().get(number - 1).name());
    }

    private Object viewDefinition(List<Object> values) {
        Object view = argument(values, 0);
        Object oid =
                view instanceof String name
                        ? new Casts(context).cast(name, Typed.UNKNOWN, TypeOids.REGCLASS)
                        : view;
        return context.relations()
                .user(CatalogValues.integer(oid))
                .flatMap(UserRelation::definition)
                .map(text -> (Object) (text + ";"))
                .orElse(CatalogValues.NULL);
    }

    private Object description(Object oid, Optional<Object> column) {
        Optional<UserRelation> relation = context.relations().user(CatalogValues.integer(oid));
        if (column.isEmpty()) {
            return relation.flatMap(UserRelation::comment)
                    .map(text -> (Object) text)
                    .orElse(CatalogValues.NULL);
        }
        long number = CatalogValues.integer(column.get());
        return relation.filter(found -> number >= 1 && number <= found.columns().size())
                .flatMap(found -> found.columns().get((int) number - 1).comment())
                .map(text -> (Object) text)
                .orElse(CatalogValues.NULL);
    }

    private Object setting(String function, List<Object> values) {
        String name = argument(values, 0).toString();
        if (function.equals("set_config")) {
            return argument(values, 1); // settings belong to the session, which has no such value
        }
        Optional<String> found = context.setting(name);
        boolean mayMiss = values.size() > 1 && CatalogValues.bool(values.get(1));
        if (found.isEmpty() && !mayMiss) {
            throw CatalogValues.invalid("the name of a setting", "'" + name + "'");
        }
        return found.map(text -> (Object) text).orElse(CatalogValues.NULL);
    }

    private CatalogValues.Elements schemas(boolean withImplicit) {
        List<String> path = context.searchPath();
        return new CatalogValues.Elements(
                List.copyOf(withImplicit ? path : path.subList(1, path.size())));
    }
}
