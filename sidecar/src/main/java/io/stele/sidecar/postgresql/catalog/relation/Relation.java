package io.stele.sidecar.postgresql.catalog.relation;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A system relation with all its rows, in memory, for catalog queries. Thread-safe: immutable, but
 * for indexes, which are built at the first lookup by a column.
 */
public final class Relation {
    private final Definition definition;
    private final List<Object[]> rows;
    private final Map<Integer, Map<Object, List<Object[]>>> indexes = new ConcurrentHashMap<>();

    public Relation(Definition definition, List<Object[]> rows) {
        this.definition = requireNonNull(definition, "definition is null");
        this.rows = List.copyOf(rows);
    }

    /**
     * The name and the columns of a relation.
     *
     * @param kind as {@code pg_class.relkind}
     */
    public record Definition(String schema, String name, char kind, int oid, List<Column> columns) {
        public Definition {
            columns = List.copyOf(columns);
        }

        /** The position of a column, or -1. */
        public int indexOf(String column) {
            for (int index = 0; index < columns.size(); index++) {
                if (columns.get(index).name().equals(column)) {
                    return index;
                }
            }
            return -1;
        }
    }

    /**
     * A column of a relation or of a query.
     *
     * @param isHidden whether {@code *} leaves it out
     */
    public record Column(String name, int type, boolean isHidden) {
        public Column(String name, int type) {
            this(name, type, false);
        }
    }

    public Definition definition() {
        return definition;
    }

    public List<Object[]> rows() {
        return rows;
    }

    /** The rows whose column has a value. */
    public List<Object[]> find(int column, Object key) {
        return indexes.computeIfAbsent(column, this::index).getOrDefault(key, List.of());
    }

    private Map<Object, List<Object[]>> index(int column) {
        return CatalogValues.groupBy(rows, row -> CatalogValues.key(row[column]), new HashMap<>());
    }
}
