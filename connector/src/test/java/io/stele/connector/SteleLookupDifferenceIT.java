package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import io.trino.Session;
import io.trino.testing.MaterializedRow;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random tables with keys of random types, random changes, and queries by key: a lookup finds what
 * the same query finds where lookups are switched off. A failure names its seed; {@code
 * -Dlookups.seed=N} runs that one.
 */
@ExtendWith(SteleCluster.Shared.class)
final class SteleLookupDifferenceIT {
    private static final int SEEDS = LongRun.count(2, 12);
    private static final int CHANGES = 12;

    /** Types of key columns with values that are close to each other, as SQL. */
    private static final List<List<String>> KEYS =
            List.of(
                    List.of("boolean", "true"), // of both any is one
                    List.of("tinyint", "-128", "0", "1", "127"),
                    List.of("smallint", "-32768", "0", "255", "32767"),
                    List.of("integer", "-2147483648", "-1", "0", "2147483647"),
                    List.of("bigint", "-1", "0", "1", "9223372036854775807"),
                    // Not -0.0: scans for it leave out 0.0, which equals it
                    List.of("real", "REAL '0.0'", "REAL '1.1'", "REAL '-3.4E38'"),
                    List.of("double", "0e0", "1.1e0", "infinity()", "4.9E-324"),
                    List.of("decimal(5,2)", "DECIMAL '1.10'", "DECIMAL '1.1'", "-2", "0"),
                    List.of("decimal(38,3)", "DECIMAL '1.100'", "DECIMAL '99999999999999999999'"),
                    List.of(
                            "varchar",
                            "''",
                            "'a'",
                            "'a '",
                            "'A'",
                            "'ä'",
                            "chr(0)",
                            "'a' || chr(0)"),
                    List.of("varchar(3)", "''", "'a'", "'a '", "'äöü'"),
                    List.of("char(4)", "''", "'a'", "'a '", "'a  '", "'ab'", "'äöüß'"),
                    List.of("varbinary", "X''", "X'00'", "X'0000'", "X'00FF'", "X'FF'"),
                    List.of("date", "DATE '1582-10-10'", "DATE '1969-12-31'", "DATE '2024-02-29'"),
                    List.of("time(3)", "TIME '00:00:00.000'", "TIME '23:59:59.999'"),
                    List.of("time(9)", "TIME '00:00:00.000000001'", "TIME '23:59:59.999999999'"),
                    List.of(
                            "timestamp(3)",
                            "TIMESTAMP '1969-12-31 23:59:59.999'",
                            "TIMESTAMP '1970-01-01 00:00:00'"),
                    List.of(
                            "timestamp(6)",
                            "TIMESTAMP '1969-12-31 23:59:59.999999'",
                            "TIMESTAMP '1970-01-01 00:00:00.000001'"),
                    List.of(
                            "timestamp(9)",
                            "TIMESTAMP '1969-12-31 23:59:59.999999999'",
                            "TIMESTAMP '1970-01-01 00:00:00.000000001'",
                            "TIMESTAMP '9999-12-31 23:59:59.999999999'"),
                    List.of("time(12)", "TIME '00:00:00.000000000001'", "TIME '23:59:59.999999'"),
                    List.of(
                            "timestamp(12)",
                            "TIMESTAMP '-1000-01-01 00:00:00.000000000001'",
                            "TIMESTAMP '1969-12-31 23:59:59.999999999999'",
                            "TIMESTAMP '1970-01-01 00:00:00'"),
                    List.of(
                            "timestamp(12) with time zone",
                            "TIMESTAMP '2024-02-29 01:02:03.000000000004 UTC'",
                            "TIMESTAMP '2024-02-29 02:02:03.000000000004 +01:00'",
                            "TIMESTAMP '1969-12-31 23:59:59.999999999999 UTC'"),
                    List.of(
                            "timestamp(3) with time zone",
                            "TIMESTAMP '2024-02-29 01:02:03.004 UTC'",
                            "TIMESTAMP '2024-02-29 02:02:03.004 +01:00'",
                            "TIMESTAMP '2024-02-29 01:02:03.004 +01:00'"),
                    List.of(
                            "timestamp(9) with time zone",
                            "TIMESTAMP '2024-02-29 01:02:03.000000004 UTC'",
                            "TIMESTAMP '2024-02-29 02:02:03.000000004 +01:00'",
                            "TIMESTAMP '1969-12-31 23:59:59.999999999 America/New_York'"),
                    List.of(
                            "uuid",
                            "UUID '00000000-0000-0000-0000-000000000000'",
                            "UUID 'ffffffff-0000-1000-8000-0123456789ab'",
                            "UUID '00000000-0000-0000-8000-000000000000'"));

    private final SteleCluster cluster;
    private final SteleQueries queries;
    private final Session scanning;

    SteleLookupDifferenceIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
        this.scanning =
                Session.builder(cluster.runner().getDefaultSession())
                        .setCatalogSessionProperty("stele", "lookup_max_keys", "0")
                        .setCatalogSessionProperty("stele", "index_lookup_enabled", "false")
                        .build();
    }

    static IntStream seeds() {
        Integer one = Integer.getInteger("lookups.seed");
        return one == null ? IntStream.range(0, SEEDS) : IntStream.of(one);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void lookupsFindWhatScansFind(int seed) {
        RandomTable table = new RandomTable(new SplittableRandom(seed));
        queries.run(table.create());
        int found = 0;
        for (int change = 0; change < CHANGES; change++) {
            change(table);
            for (int query = 0; query < 3; query++) {
                found += compare(table.byKey(), "lookup=primary key", seed);
            }
            if (table.hasIndex) {
                found += compare(table.byIndex(), "lookup=by_u", seed);
            }
        }
        assertThat(found).as("rows found with seed " + seed).isPositive();
    }

    private void change(RandomTable table) {
        SplittableRandom random = table.random;
        switch (random.nextInt(10)) {
            case 0 -> cluster.sidecar().flush("s", table.name);
            case 1 -> cluster.sidecar().compact("s", table.name);
            case 2 -> {
                if (table.columnsAdded < 2) {
                    queries.run(table.addColumn());
                }
            }
            case 3, 4 -> {
                String predicate = table.keyPredicate();
                long rows = countByScan(table, predicate);
                assertThat(
                                queries.update(
                                        "UPDATE %s SET v = 'updated %s' WHERE %s"
                                                .formatted(
                                                        table.name,
                                                        random.nextInt(100),
                                                        predicate)))
                        .as(predicate)
                        .isEqualTo(rows);
            }
            case 5 -> {
                String predicate = table.keyPredicate();
                long rows = countByScan(table, predicate);
                assertThat(
                                queries.update(
                                        "DELETE FROM %s WHERE %s".formatted(table.name, predicate)))
                        .as(predicate)
                        .isIn(rows, -1L); // whole partitions are not counted
                assertThat(countByScan(table, predicate)).as(predicate).isZero();
            }
            default -> queries.run(table.insert());
        }
    }

    private long countByScan(RandomTable table, String predicate) {
        return (long)
                cluster.runner()
                        .execute(
                                scanning,
                                "SELECT count(*) FROM %s WHERE %s".formatted(table.name, predicate))
                        .getOnlyValue();
    }

    private int compare(String sql, String lookup, int seed) {
        assertThat(queries.explain(sql)).as("seed %s: %s", seed, sql).contains(lookup);
        List<MaterializedRow> scanned =
                cluster.runner().execute(scanning, sql).getMaterializedRows();
        assertSameRows(
                "seed %s: %s".formatted(seed, sql),
                queries.run(sql).getMaterializedRows(),
                scanned);
        return scanned.size();
    }

    /** A table of a random shape, and statements on it. */
    private static final class RandomTable {
        private final String name = SteleQueries.newTable("random");
        private final SplittableRandom random;
        private final List<List<String>> keys = new ArrayList<>(); // type and values
        private final boolean hasIndex;
        private int columnsAdded;
        private int lastUnique;

        RandomTable(SplittableRandom random) {
            this.random = random;
            int count = 1 + random.nextInt(3);
            for (int key = 0; key < count; key++) {
                keys.add(KEYS.get(random.nextInt(KEYS.size())));
            }
            this.hasIndex = random.nextBoolean();
        }

        String create() {
            String columns =
                    IntStream.range(0, keys.size())
                            .mapToObj(key -> "k%s %s".formatted(key, keys.get(key).getFirst()))
                            .collect(Collectors.joining(", "));
            String primaryKey =
                    IntStream.range(0, keys.size())
                            .mapToObj(key -> "'k" + key + "'")
                            .collect(Collectors.joining(", "));
            List<String> properties = new ArrayList<>();
            properties.add("primary_key = ARRAY[%s]".formatted(primaryKey));
            properties.add("orientation = '%s'".formatted(pick("row", "column", "row,column")));
            properties.add("shard_count = " + (hasIndex ? 1 : 1 + random.nextInt(3)));
            if (hasIndex) {
                properties.add("indexes = ARRAY['unique by_u(u)']");
            }
            if (random.nextInt(3) == 0) {
                properties.add("distribution_key = ARRAY['k0']");
            }
            if (random.nextInt(3) == 0) {
                properties.add("partitioned_by = ARRAY['k%s']".formatted(keys.size() - 1));
            }
            if (random.nextInt(3) == 0 && !properties.contains("orientation = 'row'")) {
                properties.add("clustering_key = ARRAY['v']");
            }
            return "CREATE TABLE %s (v varchar, %s, u bigint, w integer) WITH (%s)"
                    .formatted(name, columns, String.join(", ", properties));
        }

        String insert() {
            int rows = 1 + random.nextInt(6);
            return "INSERT INTO %s (v, %s, u, w) VALUES %s"
                    .formatted(
                            name,
                            IntStream.range(0, keys.size())
                                    .mapToObj(key -> "k" + key)
                                    .collect(Collectors.joining(", ")),
                            IntStream.range(0, rows)
                                    .mapToObj(_ -> row())
                                    .collect(Collectors.joining(", ")));
        }

        private String row() {
            List<String> values = new ArrayList<>();
            values.add(pick("NULL", "'v" + random.nextInt(5) + "'"));
            for (List<String> key : keys) {
                values.add(value(key));
            }
            values.add(pick("NULL", Integer.toString(++lastUnique)));
            values.add(pick("NULL", Integer.toString(random.nextInt(4))));
            return "(" + String.join(", ", values) + ")";
        }

        /** ADD COLUMN, or a wider type. */
        String addColumn() {
            return columnsAdded++ == 0
                    ? "ALTER TABLE %s ADD COLUMN added varchar".formatted(name)
                    : "ALTER TABLE %s ALTER COLUMN w SET DATA TYPE bigint".formatted(name);
        }

        String byKey() {
            return select() + keyPredicate() + more();
        }

        String byIndex() {
            String values =
                    IntStream.range(0, 1 + random.nextInt(4))
                            .mapToObj(_ -> Integer.toString(random.nextInt(lastUnique + 3)))
                            .collect(Collectors.joining(", "));
            return select() + "u IN (" + values + ")" + more();
        }

        /** Values for each key column. */
        String keyPredicate() {
            List<String> parts = new ArrayList<>();
            for (int key = 0; key < keys.size(); key++) {
                List<String> type = keys.get(key);
                String values =
                        IntStream.range(0, 1 + random.nextInt(3))
                                .mapToObj(_ -> value(type))
                                .collect(Collectors.joining(", "));
                parts.add("k%s IN (%s)".formatted(key, values));
            }
            return String.join(" AND ", parts);
        }

        private String select() {
            return "SELECT %s FROM %s WHERE "
                    .formatted(
                            pick("*", "*, \"$lsn\"", "v, w", "count(*), max(u)", "\"$lsn\""), name);
        }

        private String more() {
            return switch (random.nextInt(6)) {
                case 0 -> " AND w > 1";
                case 1 -> " AND (v IS NULL OR v < 'v3')";
                case 2 -> " AND u % 2 = 0";
                default -> "";
            };
        }

        private String value(List<String> key) {
            String value = key.get(1 + random.nextInt(key.size() - 1));
            return "CAST(%s AS %s)".formatted(value, key.getFirst());
        }

        private String pick(String... values) {
            return values[random.nextInt(values.length)];
        }
    }
}
