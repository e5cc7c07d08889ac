package io.stele.paimon.metadata;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static io.trino.spi.StandardErrorCode.AMBIGUOUS_NAME;
import static java.util.Objects.requireNonNull;

import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.table.Table;

/**
 * The lookup of databases and tables in the metastore by Trino's lower-case names, first exactly
 * and then without regard to case. Thread-safe; waits for the metastore.
 */
final class TableNames {
    private final Supplier<Catalog> catalog;

    /**
     * @param catalog opens it at the first use
     */
    TableNames(Supplier<Catalog> catalog) {
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    /** The databases, in lower case. */
    List<String> databases() {
        return asking("the databases", () -> catalog.get().listDatabases()).stream()
                .map(TableNames::lowerCase)
                .distinct()
                .toList();
    }

    /** The tables of a database, in lower case; none if there is no such database. */
    List<String> tables(String schema) {
        return findDatabase(schema).stream()
                .flatMap(database -> listTables(database).stream())
                .map(TableNames::lowerCase)
                .distinct()
                .toList();
    }

    /**
     * A table, system table or branch, if it exists.
     *
     * @param name {@code table}, {@code table$branch_name} or {@code table$system}
     * @throws TrinoException if several tables differ by case alone
     */
    Optional<Table> find(SchemaTableName name) {
        if (!isPlain(name.getSchemaName()) || !isPlain(name.getTableName())) {
            return Optional.empty();
        }
        Optional<Table> exact = load(Identifier.create(name.getSchemaName(), name.getTableName()));
        if (exact.isPresent()) {
            return exact;
        }
        Optional<String> database = findDatabase(name.getSchemaName());
        if (database.isEmpty()) {
            return Optional.empty();
        }
        String text = name.getTableName();
        int dollar = text.indexOf('$');
        String table = dollar < 0 ? text : text.substring(0, dollar);
        Optional<String> present = one(table, listTables(database.get()));
        if (present.isEmpty()) {
            return Optional.empty();
        }
        String suffix = dollar < 0 ? "" : text.substring(dollar);
        if (database.get().equals(name.getSchemaName()) && present.get().equals(table)) {
            return Optional.empty(); // already requested
        }
        return load(Identifier.create(database.get(), present.get() + suffix));
    }

    /**
     * Whether a name stays in its folder when it becomes part of a path. Paimon makes paths of
     * names; other names would lead out of the lake, or out of the schema that access control has
     * checked.
     */
    static boolean isPlain(String name) {
        return !name.isEmpty()
                && !name.startsWith(".")
                && name.chars()
                        .noneMatch(c -> c == '/' || c == '\\' || c == ':' || c < ' ' || c == 127);
    }

    private Optional<Table> load(Identifier identifier) {
        return asking(
                "table " + identifier.getFullName(),
                () -> {
                    try {
                        return Optional.of(catalog.get().getTable(identifier));
                    } catch (Catalog.TableNotExistException e) {
                        return Optional.empty();
                    }
                });
    }

    Optional<String> findDatabase(String schema) {
        if (!isPlain(schema)) {
            return Optional.empty();
        }
        return one(schema, asking("the databases", () -> catalog.get().listDatabases()));
    }

    private List<String> listTables(String database) {
        return asking(
                "the tables of " + database,
                () -> {
                    try {
                        return catalog.get().listTables(database);
                    } catch (Catalog.DatabaseNotExistException e) {
                        return List.of();
                    }
                });
    }

    /** The name itself if it is there, or else the only name that differs by case. */
    private static Optional<String> one(String name, List<String> all) {
        if (all.contains(name)) {
            return Optional.of(name);
        }
        List<String> found = all.stream().filter(other -> lowerCase(other).equals(name)).toList();
        if (found.size() > 1) {
            throw new TrinoException(
                    AMBIGUOUS_NAME,
                    "Expected one name that is %s without regard to case, found %s"
                            .formatted(name, found));
        }
        return found.stream().findFirst();
    }

    private static String lowerCase(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static <T> T asking(String what, Supplier<T> request) {
        try {
            return request.get();
        } catch (TrinoException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read %s from the lake: %s".formatted(what, e.getMessage()),
                    e);
        }
    }
}
