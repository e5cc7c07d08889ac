package io.stele.sidecar.postgresql.catalog.relation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A builder of the rows of all system relations of one catalog version. Confined to one thread. */
final class RelationRows {
    private final Map<String, List<Object[]>> rows = new HashMap<>();

    RelationRows() {
        SystemCatalog.INSTANCE
                .rowsByRelation()
                .forEach(
                        (name, fixed) ->
                                rows.computeIfAbsent(
                                                key(SystemCatalog.PG_CATALOG, name),
                                                ignored -> new ArrayList<>())
                                        .addAll(fixed));
    }

    private static String key(String schema, String name) {
        return schema + '.' + name;
    }

    /**
     * Adds a row of {@code pg_catalog}.
     *
     * @param values names of columns, each followed by its value; other columns are NULL
     */
    void add(String relation, Object... values) {
        addTo(SystemCatalog.PG_CATALOG, relation, values);
    }

    void addTo(String schema, String relation, Object... values) {
        Relation.Definition definition =
                SystemCatalog.INSTANCE.definition(schema, relation).orElseThrow();
        Object[] row = SystemCatalog.emptyRow(definition);
        for (int index = 0; index < values.length; index += 2) {
            int position = definition.indexOf((String) values[index]);
            if (position < 0) {
                throw new IllegalArgumentException(
                        "Expected a column of %s, found %s".formatted(relation, values[index]));
            }
            Object value = values[index + 1];
            row[position] = value instanceof Integer number ? (Object) number.longValue() : value;
        }
        rows.computeIfAbsent(key(schema, relation), ignored -> new ArrayList<>()).add(row);
    }

    /** Every relation, most of them without rows. */
    Map<String, Relation> build() {
        Map<String, Relation> relations = new HashMap<>();
        for (Relation.Definition definition : SystemCatalog.INSTANCE.definitions()) {
            String key = key(definition.schema(), definition.name());
            relations.put(key, new Relation(definition, rows.getOrDefault(key, List.of())));
        }
        return Map.copyOf(relations);
    }
}
