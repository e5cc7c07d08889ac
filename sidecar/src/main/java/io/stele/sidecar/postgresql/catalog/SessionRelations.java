package io.stele.sidecar.postgresql.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The system relations of catalog queries whose rows depend on the session: roles, of which a user
 * sees itself and the owner.
 */
final class SessionRelations {
    /** The OID of the logged-in user: the first OID that is neither the system's nor a table's. */
    private static final int USER_OID = 16_383;

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
                            default -> relation;
                        });
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
