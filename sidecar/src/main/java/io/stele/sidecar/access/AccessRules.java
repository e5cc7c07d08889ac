package io.stele.sidecar.access;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.collect.Sets;
import io.stele.protocol.schema.ColumnSchema;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The access rules of a file, with a cache of their decisions; the first rule that matches decides.
 * Thread-safe: immutable but a cache.
 */
final class AccessRules {
    private static final int MAX_CACHED = 10_000;

    private final List<TableRule> tables;
    private final List<SchemaRule> schemas;
    private final Cache<Question, Set<Privilege>> answers =
            Caffeine.newBuilder().maximumSize(MAX_CACHED).build();

    AccessRules(List<TableRule> tables, List<SchemaRule> schemas) {
        this.tables = List.copyOf(tables);
        this.schemas = List.copyOf(schemas);
    }

    private record Question(String user, String schema, String table) {}

    /**
     * A rule of {@code tables}. An absent pattern matches everything; a present one must match the
     * whole name.
     *
     * @param privileges of the users on the tables; empty: they are denied
     */
    record TableRule(
            Optional<Pattern> user,
            Optional<Pattern> schema,
            Optional<Pattern> table,
            Set<Privilege> privileges) {
        TableRule {
            requireNonNull(user, "user is null");
            requireNonNull(schema, "schema is null");
            requireNonNull(table, "table is null");
            privileges = Sets.immutableEnumSet(privileges);
        }

        private boolean matches(String userName, String schemaName) {
            return isMatch(user, userName) && isMatch(schema, schemaName);
        }

        private boolean matches(Question question) {
            return matches(question.user(), question.schema()) && isMatch(table, question.table());
        }
    }

    /** A rule of {@code schemas}. */
    record SchemaRule(Optional<Pattern> user, Optional<Pattern> schema, boolean isOwner) {
        SchemaRule {
            requireNonNull(user, "user is null");
            requireNonNull(schema, "schema is null");
        }

        private boolean matches(String userName, String schemaName) {
            return isMatch(user, userName) && isMatch(schema, schemaName);
        }
    }

    private static boolean isMatch(Optional<Pattern> pattern, String name) {
        return pattern.isEmpty() || pattern.get().matcher(name).matches();
    }

    Set<Privilege> privileges(String user, String schema, String table) {
        if (schema.length() > ColumnSchema.MAX_NAME_LENGTH
                || table.length() > ColumnSchema.MAX_NAME_LENGTH) {
            return Set.of(); // no table has such a name, and patterns and cache are spared
        }
        return answers.get(new Question(user, schema, table), this::decide);
    }

    private Set<Privilege> decide(Question question) {
        for (TableRule rule : tables) {
            if (rule.matches(question)) {
                return rule.privileges();
            }
        }
        return Set.of();
    }

    /** Whether a user owns the schema, or may have a privilege on a table of it. */
    boolean maySeeSchema(String user, String schema) {
        for (SchemaRule rule : schemas) {
            if (rule.matches(user, schema)) {
                if (rule.isOwner()) {
                    return true;
                }
                break;
            }
        }
        for (TableRule rule : tables) {
            if (rule.matches(user, schema)) {
                if (!rule.privileges().isEmpty()) {
                    return true;
                }
                if (rule.table().isEmpty()) {
                    return false; // later rules never apply
                }
            }
        }
        return false;
    }
}
