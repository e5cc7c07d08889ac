package io.stele.connector.differential;

import static io.stele.connector.SameRows.assertSameRows;

import com.google.common.collect.ImmutableMap;
import io.stele.connector.SidecarFixture;
import io.stele.connector.SteleCluster;
import io.stele.connector.differential.RandomTable.Column;
import io.stele.testing.LongRun;
import io.trino.plugin.memory.MemoryPlugin;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random tables, statements and queries on Stele and on Trino's memory connector, with flushes,
 * compactions and restarts of the sidecar in between: the same rows from both. The memory connector
 * knows neither keys nor changes, so each statement makes a new table there that has what it should
 * come to. A failure names its seed and the statements before; {@code -Ddifferential.seed=N} runs
 * one.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleDifferentialIT {
    private static final int SEEDS = LongRun.count(1, 12);
    private static final int STATEMENTS = LongRun.count(15, 30);

    @TempDir private Path directory;
    private DistributedQueryRunner runner;

    @BeforeAll
    void start() throws Exception {
        runner = SteleCluster.queryRunner(1);
        runner.installPlugin(new MemoryPlugin());
        runner.createCatalog("memory", "memory", Map.of("memory.max-data-per-node", "512MB"));
    }

    @AfterAll
    void stop() {
        runner.close();
    }

    static List<Long> seeds() {
        Long one = Long.getLong("differential.seed");
        if (one != null) {
            return List.of(one);
        }
        List<Long> seeds = new ArrayList<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            seeds.add(seed);
        }
        return seeds;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void steleAnswersAsMemoryDoes(long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        String catalog = "stele_" + seed;
        try (SidecarFixture sidecar = new SidecarFixture(directory.resolve("seed-" + seed))) {
            runner.createCatalog(
                    catalog,
                    "stele",
                    ImmutableMap.<String, String>builder()
                            .putAll(sidecar.catalogProperties())
                            // Some write files themselves, from a few rows on
                            .put(
                                    "stele.write.direct-threshold",
                                    random.nextBoolean() ? "1kB" : "16MB")
                            .buildOrThrow());
            runner.execute("CREATE SCHEMA " + catalog + ".d");
            new Run(seed, random, sidecar, catalog + ".d.t").run();
        }
    }

    /** One seed's history. */
    private final class Run {
        private final long seed;
        private final RandomGenerator random;
        private final SidecarFixture sidecar;
        private final RandomTable table;
        private final String name;
        private final List<String> history = new ArrayList<>();
        private int version;

        Run(long seed, RandomGenerator random, SidecarFixture sidecar, String name) {
            this.seed = seed;
            this.random = random;
            this.sidecar = sidecar;
            this.name = name;
            this.table = new RandomTable(random);
        }

        void run() {
            execute("CREATE TABLE " + name + " " + table.definition() + table.properties());
            execute("CREATE TABLE " + oracle() + " " + table.definition());
            insert(40);
            for (int i = 0; i < STATEMENTS; i++) {
                step();
                check("SELECT %s FROM %s".formatted(table.names(), "%s"));
                for (int query = 0; query < 3; query++) {
                    check(table.query("%s"));
                }
            }
            execute("DROP TABLE " + oracle());
            execute("DROP TABLE " + name);
        }

        private void step() {
            switch (random.nextInt(14)) {
                case 0, 1, 2 -> insert(1 + random.nextInt(60));
                case 3, 4 -> update();
                case 5, 6 -> delete();
                case 7 -> merge();
                case 8 -> insertSelected();
                case 9 -> alter();
                case 10, 11 -> note("flush", () -> sidecar.flush("d", "t"));
                case 12 -> note("compact", () -> sidecar.compact("d", "t"));
                default -> note("restart", sidecar::restart);
            }
        }

        private void insert(int count) {
            String rows = table.rows(count);
            execute("INSERT INTO %s VALUES %s".formatted(name, rows));
            String source = "(VALUES %s) AS s(%s)".formatted(rows, table.names());
            next(
                    (table.isKeyed()
                                            ? "SELECT t.* FROM %1$s t LEFT JOIN %2$s ON %3$s WHERE s.k IS NULL"
                                            : "SELECT * FROM %1$s")
                                    .formatted(oracle(), source, sameKey())
                            + " UNION ALL SELECT * FROM "
                            + source);
        }

        private void update() {
            Column column = table.anyValue();
            String value = column.kind().nullable(random);
            String predicate = table.predicate();
            execute(
                    "UPDATE %s SET %s = %s WHERE %s"
                            .formatted(name, column.name(), value, predicate));
            next(select(column, "IF(%s, %s, %s)".formatted(predicate, value, column.name())));
        }

        private void delete() {
            String predicate = table.predicate() + " AND " + table.predicate();
            execute("DELETE FROM %s WHERE %s".formatted(name, predicate));
            next("SELECT * FROM %s WHERE NOT coalesce((%s), false)".formatted(oracle(), predicate));
        }

        /**
         * Deletes some of the rows that match, changes the others, and inserts those that do not.
         */
        private void merge() {
            if (!table.isKeyed()) {
                delete();
                return;
            }
            Column column = table.anyValue();
            String source = "(VALUES %s) AS s(%s)".formatted(table.rows(20), table.names());
            execute(
                    "MERGE INTO %s t USING %s ON %s WHEN MATCHED AND s.k %% 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET %s = s.%s WHEN NOT MATCHED THEN INSERT VALUES (%s)"
                            .formatted(
                                    name,
                                    source,
                                    sameKey(),
                                    column.name(),
                                    column.name(),
                                    columns("s.%s")));
            String merged =
                    table.columns().stream()
                            .map(
                                    each ->
                                            each.equals(column)
                                                    ? "IF(s.k IS NULL, t.%1$s, s.%1$s) %1$s"
                                                            .formatted(each.name())
                                                    : "IF(t.k IS NULL, s.%1$s, t.%1$s) %1$s"
                                                            .formatted(each.name()))
                            .collect(Collectors.joining(", "));
            next(
                    "SELECT %s FROM %s t FULL JOIN %s ON %s WHERE t.k IS NULL OR s.k IS NULL OR s.k %% 3 <> 0"
                            .formatted(merged, oracle(), source, sameKey()));
        }

        private void insertSelected() {
            String selected = table.selectFresh();
            String predicate = table.predicate() + " AND k < 1000";
            execute(
                    "INSERT INTO %1$s SELECT %2$s FROM %1$s WHERE %3$s"
                            .formatted(name, selected, predicate));
            next(
                    "SELECT * FROM %1$s UNION ALL SELECT %2$s FROM %1$s WHERE %3$s"
                            .formatted(oracle(), selected, predicate));
        }

        private void alter() {
            Column column = table.anyValue();
            switch (random.nextInt(4)) {
                case 0 -> {
                    Column added = table.addColumn();
                    String type = added.kind().sqlType();
                    Optional<String> value =
                            random.nextInt(3) == 0
                                    ? Optional.empty()
                                    : added.kind().plainLiteral(random);
                    execute(
                            "ALTER TABLE %s ADD COLUMN %s %s%s"
                                    .formatted(
                                            name,
                                            added.name(),
                                            type,
                                            value.map(text -> " DEFAULT " + text).orElse("")));
                    next(
                            "SELECT *, CAST(%s AS %s) %s FROM %s"
                                    .formatted(value.orElse("NULL"), type, added.name(), oracle()));
                }
                case 1 -> {
                    Column renamed = new Column(column.name() + "x", column.kind());
                    execute(
                            "ALTER TABLE %s RENAME COLUMN %s TO %s"
                                    .formatted(name, column.name(), renamed.name()));
                    table.replace(column, renamed);
                    next(select(renamed, column.name()));
                }
                case 2 -> {
                    if (column.kind() == ColumnKind.TINYINT) {
                        Column wider = new Column(column.name(), ColumnKind.INTEGER);
                        execute(
                                "ALTER TABLE %s ALTER COLUMN %s SET DATA TYPE integer"
                                        .formatted(name, column.name()));
                        table.replace(column, wider);
                        next(select(wider, "CAST(%s AS integer)".formatted(column.name())));
                    }
                }
                default -> {
                    boolean used =
                            table.properties().contains("'" + column.name() + "'")
                                    || table.properties().contains("(" + column.name() + ")");
                    if (table.values().size() > 2 && !used && !column.name().endsWith("x")) {
                        execute("ALTER TABLE %s DROP COLUMN %s".formatted(name, column.name()));
                        table.remove(column);
                        next("SELECT %s FROM %s".formatted(table.names(), oracle()));
                    }
                }
            }
        }

        private String oracle() {
            return "memory.default.o_%d_%d".formatted(seed, version);
        }

        /** What the statement should have come to is a table of its own. */
        private void next(String select) {
            String old = oracle();
            version++;
            execute("CREATE TABLE " + oracle() + " AS " + select);
            execute("DROP TABLE " + old);
        }

        /** All columns of the oracle, one of them by this expression. */
        private String select(Column changed, String expression) {
            return "SELECT "
                    + table.columns().stream()
                            .map(
                                    column ->
                                            column.equals(changed)
                                                    ? "%s %s".formatted(expression, column.name())
                                                    : column.name())
                            .collect(Collectors.joining(", "))
                    + " FROM "
                    + oracle();
        }

        private String columns(String format) {
            return table.columns().stream()
                    .map(column -> format.formatted(column.name()))
                    .collect(Collectors.joining(", "));
        }

        private String sameKey() {
            return table.key().stream()
                    .map(column -> "t.%1$s = s.%1$s".formatted(column))
                    .collect(Collectors.joining(" AND "));
        }

        private void note(String what, Runnable action) {
            history.add(what);
            action.run();
        }

        private void execute(String sql) {
            history.add(sql);
            try {
                runner.execute(sql);
            } catch (RuntimeException e) {
                throw new AssertionError(report("failed"), e);
            }
        }

        /** Both give the same rows, in whatever order. */
        private void check(String query) {
            MaterializedResult found = result(query.formatted(name, name));
            MaterializedResult expected = result(query.formatted(oracle(), oracle()));
            assertSameRows(
                    () -> report(query),
                    found.getMaterializedRows(),
                    expected.getMaterializedRows());
        }

        private MaterializedResult result(String query) {
            try {
                return runner.execute(query);
            } catch (RuntimeException e) {
                throw new AssertionError(report(query), e);
            }
        }

        private String report(String query) {
            return "seed %d, %s after:\n%s".formatted(seed, query, String.join("\n", history));
        }
    }
}
