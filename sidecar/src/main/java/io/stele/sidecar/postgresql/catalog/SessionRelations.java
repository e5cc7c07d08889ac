package io.stele.sidecar.postgresql.catalog;

import io.stele.protocol.api.status.StatementStatus;
import io.stele.sidecar.postgresql.catalog.relation.CatalogSettings;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The system relations of catalog queries whose rows depend on the session or on time: roles, of
 * which a user sees itself and the owner, and {@code pg_stat_statements}.
 */
final class SessionRelations {
    /** The OID of the logged-in user: the first OID that is neither the system's nor a table's. */
    private static final int USER_OID = 16_383;

    private static final double MILLIS = 1_000; // of a second

    private SessionRelations() {}

    static Optional<Relation> find(QueryContext context, Optional<String> schema, String name) {
        Optional<Relation> found = context.relations().find(schema, name);
        return found.map(
                relation ->
                        switch (relation.definition().schema().equals(SystemCatalog.PG_CATALOG)
                                ? name
                                : "") {
                            case "pg_roles", "pg_authid" -> roles(context, relation, "rol", "oid");
                            case "pg_user", "pg_shadow" ->
                                    roles(context, relation, "use", "usesysid");
                            case "pg_stat_statements" -> statements(context, relation);
                            default -> relation;
                        });
    }

    private static Relation statements(QueryContext context, Relation relation) {
        Relation.Definition definition = relation.definition();
        List<Object[]> rows = new ArrayList<>();
        for (StatementStatus statement : context.statements()) {
            boolean isOwn = statement.user().equals(context.session().user().name());
            Object[] row = SystemCatalog.emptyRow(definition);
            if (isOwn) { // of others, roles are not listed
                row[definition.indexOf("userid")] = (long) USER_OID;
            }
            row[definition.indexOf("toplevel")] = true;
            row[definition.indexOf("queryid")] = statement.queryId();
            row[definition.indexOf("query")] = statement.statement();
            row[definition.indexOf("calls")] = statement.calls();
            row[definition.indexOf("rows")] = statement.rows();
            row[definition.indexOf("total_exec_time")] = statement.totalSeconds() * MILLIS;
            row[definition.indexOf("min_exec_time")] = statement.minSeconds() * MILLIS;
            row[definition.indexOf("max_exec_time")] = statement.maxSeconds() * MILLIS;
            row[definition.indexOf("mean_exec_time")] =
                    statement.totalSeconds() * MILLIS / Math.max(statement.calls(), 1);
            rows.add(row);
        }
        return new Relation(definition, rows);
    }

    private static Relation roles(
            QueryContext context, Relation relation, String prefix, String oidColumn) {
        List<Object[]> rows = new ArrayList<>();
        rows.add(
                role(
                        relation,
                        prefix,
                        oidColumn,
                        CatalogSettings.OWNER,
                        SystemCatalog.FIRST_ROLE_OID));
        String user = context.session().user().name();
        if (!user.equals(CatalogSettings.OWNER)) {
            rows.add(role(relation, prefix, oidColumn, user, USER_OID));
        }
        return new Relation(relation.definition(), rows);
    }

    private static Object[] role(
            Relation relation, String prefix, String oidColumn, String name, int oid) {
        Relation.Definition definition = relation.definition();
        Object[] row = SystemCatalog.emptyRow(definition);
        for (int index = 0; index < definition.columns().size(); index++) {
            Relation.Column column = definition.columns().get(index);
            if (column.name().equals(prefix + "name")) {
                row[index] = name;
            } else if (column.name().equals(oidColumn)) {
                row[index] = (long) oid;
            } else if (column.name().equals("rolconnlimit")) {
                row[index] = -1L;
            } else if (column.type() == TypeOids.BOOL) {
                row[index] =
                        column.name().equals("rolcanlogin") || column.name().equals("rolinherit");
            }
        }
        return row;
    }
}
