package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import io.stele.sidecar.postgresql.catalog.relation.UserRelation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The evaluation of {@code has_table_privilege} and similar functions on users' tables, by the
 * privileges of the session's user. Confined to the thread of a statement.
 */
final class TablePrivileges {
    private final QueryContext context;

    TablePrivileges(QueryContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    /**
     * Whether the session's user has one of the privileges.
     *
     * @param values a user, if there are {@code most}; a table by name or OID; ...; privileges
     * @param most how many arguments there may be
     */
    Object has(List<Object> values, int most) {
        if (values.contains(CatalogValues.NULL)) {
            return CatalogValues.NULL;
        }
        if (values.size() < most - 1 || values.size() > most) {
            throw CatalogValues.invalid(
                    "%s or %s arguments".formatted(most - 1, most), String.valueOf(values.size()));
        }
        OptionalLong oid = oid(values.get(values.size() - (most - 1)));
        if (oid.isEmpty()) {
            return CatalogValues.NULL;
        }
        Optional<UserRelation> relation = context.relations().user(oid.getAsLong());
        if (relation.isEmpty()) {
            return context.relations().hasRelation(oid.getAsLong())
                    ? (Object) true
                    : CatalogValues.NULL;
        }
        Set<Privilege> held = context.relations().privileges(relation.get());
        for (String wanted : values.getLast().toString().split(",", -1)) {
            if (isHeld(wanted.strip().toUpperCase(Locale.ROOT), held)) {
                return true;
            }
        }
        return false;
    }

    private OptionalLong oid(Object table) {
        if (!(table instanceof String name)) {
            return OptionalLong.of(CatalogValues.integer(table));
        }
        return new Casts(context)
                .findReference(name, TypeOids.REGCLASS)
                .map(found -> OptionalLong.of(CatalogValues.integer(found)))
                .orElse(OptionalLong.empty());
    }

    private static boolean isHeld(String wanted, Set<Privilege> held) {
        return switch (wanted) {
            case "SELECT" -> held.contains(Privilege.SELECT);
            case "SELECT WITH GRANT OPTION" -> held.contains(Privilege.GRANT_SELECT);
            case "INSERT" -> held.contains(Privilege.INSERT);
            case "UPDATE" -> held.contains(Privilege.UPDATE);
            case "DELETE" -> held.contains(Privilege.DELETE);
            default -> held.contains(Privilege.OWNERSHIP); // TRUNCATE, REFERENCES and others
        };
    }
}
