package io.stele.connector.differential;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * A table of random columns and properties, and expressions over it. The first column of a table
 * with a primary key is {@code k bigint}.
 */
final class RandomTable {
    private static final int KEY_RANGE = 150;

    private final RandomGenerator random;
    private final List<Column> columns = new ArrayList<>();
    private final List<String> key = new ArrayList<>();
    private final String properties;
    private long freshKeys = 1_000;
    private int added;

    /** A column. */
    record Column(String name, ColumnKind kind) {}

    RandomTable(RandomGenerator random) {
        this.random = random;
        boolean keyed = random.nextInt(5) > 0;
        columns.add(new Column("k", ColumnKind.BIGINT));
        StringJoiner with = new StringJoiner(", ", " WITH (", ")");
        with.add("shard_count = " + (1 + random.nextInt(3)));
        if (keyed) {
            key.add("k");
            if (random.nextInt(3) == 0) {
                columns.add(new Column("k2", ColumnKind.VARCHAR));
                key.add("k2");
            }
            with.add("primary_key = " + strings(key));
            if (key.size() > 1 && random.nextBoolean()) {
                with.add("partitioned_by = ARRAY['k2'], distribution_key = ARRAY['k']");
            }
        }
        String orientation =
                keyed ? any(List.of("column", "column", "row", "row,column")) : "column";
        with.add("orientation = '" + orientation + "'");
        int count = 3 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            addColumn();
        }
        if (!orientation.equals("row")) {
            first(ColumnKind.VARCHAR, "dictionary_columns = ARRAY['%s']").ifPresent(with::add);
            first(ColumnKind.INTEGER, "bitmap_columns = ARRAY['%s']").ifPresent(with::add);
        }
        if (keyed) {
            first(ColumnKind.INTEGER, "indexes = ARRAY['by_it(%s)']").ifPresent(with::add);
        }
        this.properties = with.toString();
    }

    /** A property with the name of the first column of a kind. */
    private Optional<String> first(ColumnKind kind, String property) {
        return values().stream()
                .filter(column -> column.kind() == kind)
                .map(column -> property.formatted(column.name()))
                .findFirst();
    }

    /** Appends a column of a new name. */
    Column addColumn() {
        ColumnKind[] kinds = ColumnKind.values();
        Column column = new Column("c" + added++, kinds[random.nextInt(kinds.length)]);
        columns.add(column);
        return column;
    }

    void replace(Column old, Column changed) {
        columns.set(columns.indexOf(old), changed);
    }

    void remove(Column column) {
        columns.remove(column);
    }

    boolean isKeyed() {
        return !key.isEmpty();
    }

    List<String> key() {
        return List.copyOf(key);
    }

    String properties() {
        return properties;
    }

    List<Column> columns() {
        return List.copyOf(columns);
    }

    /** Those outside of the key. */
    List<Column> values() {
        return List.copyOf(columns.subList(Math.max(1, key.size()), columns.size()));
    }

    Column anyValue() {
        return any(values());
    }

    <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    String definition() {
        return columns.stream()
                .map(column -> column.name() + " " + column.kind().sqlType())
                .collect(Collectors.joining(", ", "(", ")"));
    }

    String names() {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    /** Rows of which no two have one key, as VALUES has them. */
    String rows(int count) {
        Set<String> seen = new HashSet<>();
        StringJoiner rows = new StringJoiner(", ");
        while (seen.size() < count) {
            String k = Integer.toString(random.nextInt(KEY_RANGE));
            String k2 = ColumnKind.VARCHAR.literal(random);
            if (!seen.add(isKeyed() ? key.size() == 1 ? k : k + k2 : "row " + seen.size())) {
                continue;
            }
            StringJoiner row = new StringJoiner(", ", "(", ")");
            for (Column column : columns) {
                row.add(
                        switch (column.name()) {
                            case "k" -> "BIGINT '" + k + "'";
                            case "k2" -> k2;
                            default -> column.kind().nullable(random);
                        });
            }
            rows.add(row.toString());
        }
        return rows.toString();
    }

    /** The columns, with keys that nobody has had. */
    String selectFresh() {
        long from = freshKeys;
        freshKeys += 100_000;
        return columns.stream()
                .map(column -> column.name().equals("k") ? "k + " + from : column.name())
                .collect(Collectors.joining(", "));
    }

    String predicate() {
        return switch (random.nextInt(6)) {
            case 0 -> "(" + comparison() + " AND " + comparison() + ")";
            case 1 -> "(" + comparison() + " OR " + comparison() + ")";
            case 2 -> "NOT " + comparison();
            default -> comparison();
        };
    }

    private String comparison() {
        if (random.nextInt(4) == 0) {
            return "k IN (%d, %d, %d)"
                    .formatted(
                            random.nextInt(KEY_RANGE),
                            random.nextInt(KEY_RANGE),
                            random.nextInt(KEY_RANGE));
        }
        Column column = any(columns);
        String name = column.name();
        ColumnKind kind = column.kind();
        if (kind == ColumnKind.ARRAY) {
            return "(cardinality(" + name + ") > 1)";
        }
        if (kind == ColumnKind.ROW) {
            return "(" + name + ".a < " + random.nextInt(200) + ")";
        }
        return switch (random.nextInt(7)) {
            case 0 -> "(" + name + " IS NULL)";
            case 1 -> "(" + name + " IS NOT DISTINCT FROM " + kind.nullable(random) + ")";
            case 2 ->
                    "(%s IN (%s, %s))"
                            .formatted(name, withoutNaN(kind, random), withoutNaN(kind, random));
            case 3 ->
                    "(%s BETWEEN %s AND %s)"
                            .formatted(name, withoutNaN(kind, random), withoutNaN(kind, random));
            case 4 -> "(" + name + " <> " + kind.literal(random) + ")";
            case 5 -> "(" + name + " <= " + withoutNaN(kind, random) + ")";
            default -> "(" + name + " > " + withoutNaN(kind, random) + ")";
        };
    }

    /**
     * A literal where the engine differs from itself about NaN. Its own filter finds it in a list,
     * by the same bits, and the domain that it makes of the list for a connector does not have it.
     * Its optimizer fails to plan an order comparison with it inside OR (ComparisonStatsCalculator
     * of Trino 483 makes a range from NaN to infinity), for every table whose row count is known.
     */
    private static String withoutNaN(ColumnKind kind, RandomGenerator random) {
        String literal = kind.literal(random);
        while (literal.contains("nan()")) {
            literal = kind.literal(random);
        }
        return literal;
    }

    /**
     * A query over a table of this name, in which every row's place in the result is known or of no
     * matter.
     */
    String query(String table) {
        String where = random.nextInt(4) == 0 ? "" : " WHERE " + predicate();
        Column column = any(columns);
        String name = column.name();
        return switch (random.nextInt(9)) {
            case 0 -> "SELECT count(*), count(%s) FROM %s%s".formatted(name, table, where);
            case 1 ->
                    column.kind().isOrderable()
                            ? "SELECT min(%1$s), max(%1$s), approx_distinct(%1$s) FROM %2$s%3$s"
                                    .formatted(name, table, where)
                            : "SELECT count_if(%s IS NULL) FROM %s%s".formatted(name, table, where);
            case 2 ->
                    column.kind().isOrderable()
                            ? "SELECT %1$s, count(*), min(k) FROM %2$s%3$s GROUP BY %1$s"
                                    .formatted(name, table, where)
                            : "SELECT k, count(*) FROM %s%s GROUP BY k".formatted(table, where);
            case 3 -> "SELECT k FROM %s%s ORDER BY k LIMIT 7".formatted(table, where);
            case 4 ->
                    "SELECT a.k, count(*) FROM %1$s a JOIN %1$s b ON a.k = b.k%2$s GROUP BY a.k"
                            .formatted(table, " AND b.k < " + random.nextInt(KEY_RANGE));
            case 5 -> "SELECT %s FROM %s%s".formatted(name, table, where);
            case 6 ->
                    "SELECT DISTINCT mod(k, 7) FROM %s WHERE k NOT IN (SELECT k FROM %s WHERE %s)"
                            .formatted(table, table, predicate());
            default -> "SELECT %s FROM %s%s".formatted(names(), table, where);
        };
    }

    private static String strings(List<String> values) {
        return values.stream()
                .map(value -> String.format(Locale.ROOT, "'%s'", value))
                .collect(Collectors.joining(", ", "ARRAY[", "]"));
    }
}
