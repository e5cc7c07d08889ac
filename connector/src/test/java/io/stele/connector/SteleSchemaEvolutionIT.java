package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.testing.LongRun;
import io.trino.testing.QueryFailedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every ALTER TABLE of columns and fields, over rows in memory, in files of workers and of the
 * sidecar, after compactions and after restarts.
 */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleSchemaEvolutionIT {
    private static final String SMALL = "evolving"; // rows of Trino through the log
    private static final String FILES = "evolving_files"; // files of workers for any row

    private static final String COLUMNS = "id, a, r, d, words, c, n, nested, arr, m, extra, gone";

    private static final List<String> ALTERS =
            List.of(
                    "ADD COLUMN extra bigint COMMENT 'new'",
                    "ALTER COLUMN a SET DATA TYPE smallint",
                    "ALTER COLUMN a SET DATA TYPE bigint",
                    "ALTER COLUMN r SET DATA TYPE double",
                    "ALTER COLUMN d SET DATA TYPE decimal(18,2)",
                    "ALTER COLUMN d SET DATA TYPE decimal(30,2)",
                    "ALTER COLUMN v SET DATA TYPE varchar(9)",
                    "ALTER COLUMN v SET DATA TYPE varchar",
                    "ALTER COLUMN c SET DATA TYPE char(4)",
                    "ALTER COLUMN n DROP NOT NULL",
                    "RENAME COLUMN v TO words",
                    "DROP COLUMN gone",
                    "ADD COLUMN gone integer",
                    "ADD COLUMN nested.w date",
                    "ALTER COLUMN nested.x SET DATA TYPE bigint",
                    "ADD COLUMN nested.y.u row(k bigint)",
                    "RENAME COLUMN nested.y.z TO zz",
                    "DROP COLUMN nested.old",
                    "ADD COLUMN arr.element.o bigint",
                    "ALTER COLUMN arr.element.p SET DATA TYPE integer",
                    "DROP COLUMN arr.element.q",
                    "ALTER COLUMN m.value.s SET DATA TYPE double");

    private final SteleQueries queries;
    private final Map<String, SidecarFixture> sidecars;

    SteleSchemaEvolutionIT(SteleCluster cluster) {
        this.queries = new SteleQueries(cluster);
        this.sidecars =
                Map.of(
                        SMALL,
                        cluster.newSidecar(SMALL, Map.of()),
                        FILES,
                        cluster.newSidecar(FILES, Map.of("stele.write.direct-threshold", "0B")));
    }

    @AfterAll
    void closeSidecars() {
        sidecars.forEach(
                (catalog, sidecar) -> {
                    queries.run("DROP CATALOG " + catalog);
                    sidecar.close();
                });
    }

    private static String newTable(String catalog, String prefix) {
        return catalog + ".s." + SteleQueries.newTable(prefix);
    }

    private SidecarFixture sidecar(String table) {
        return sidecars.get(table.split("\\.")[0]);
    }

    static List<Arguments> places() {
        return LongRun.combinations(
                List.of(arguments("column", "workers"), arguments("row", "restarted")),
                List.of(
                        arguments("row,column", "flushed"),
                        arguments("column", "compacted"),
                        arguments("row,column", "memory"),
                        arguments("column", "memory"),
                        arguments("column", "flushed"),
                        arguments("column", "restarted"),
                        arguments("row", "memory"),
                        arguments("row", "flushed"),
                        arguments("row", "compacted"),
                        arguments("row,column", "compacted"),
                        arguments("row,column", "restarted")));
    }

    @ParameterizedTest
    @MethodSource("places")
    void rowsAreReadByTheColumnsOfNow(String orientation, String place) {
        String table = newTable(place.equals("workers") ? FILES : SMALL, "t");
        create(table, orientation);
        move(table, place);
        for (String alter : ALTERS) {
            queries.run("ALTER TABLE " + table + " " + alter);
        }
        check(table, row(1, 2) + ", " + nulls(2));
        checkPredicates(table);

        // Rows of both kinds side by side, and old rows that are changed
        queries.update("INSERT INTO %s (%s) VALUES %s".formatted(table, COLUMNS, row(3, 1L << 40)));
        queries.update("UPDATE %s SET extra = 5, n = NULL WHERE id = 2".formatted(table));
        queries.update("UPDATE %s SET nested = NULL WHERE id = 3".formatted(table));
        checkColumns(table);
        for (String next : List.of("flushed", "compacted", "restarted")) {
            move(table, next);
            checkColumns(table);
            checkPredicates(table);
        }
    }

    private void create(String table, String orientation) {
        String columns =
                """
                id bigint NOT NULL, a tinyint, r real, d decimal(5,2), v varchar(3), c char(2), n integer NOT NULL,
                nested row(x integer, y row(z varchar(5)), old varchar), arr array(row(p smallint, q varchar)),
                m map(varchar, row(s real, t bigint)), gone varchar""";
        queries.run(
                "CREATE TABLE %s (%s) WITH (primary_key = ARRAY['id'], orientation = '%s', shard_count = 2)"
                        .formatted(table, columns, orientation));
        String rows =
                """
                SELECT 1 AS id, TINYINT '2' AS a, REAL '0.1' AS r, DECIMAL '3.25' AS d, 'abc' AS v, CAST('é' AS char(2)) AS c, 7 AS n,
                  CAST(ROW(1, ROW('zzz'), 'old') AS row(x integer, y row(z varchar(5)), old varchar)) AS nested,
                  CAST(ARRAY[ROW(1, 'q'), NULL, ROW(-3, NULL)] AS array(row(p smallint, q varchar))) AS arr,
                  CAST(MAP(ARRAY['k', 'l'], ARRAY[ROW(1.5, 9), NULL]) AS map(varchar, row(s real, t bigint))) AS m,
                  'gone' AS gone
                UNION ALL SELECT 2, NULL, NULL, NULL, NULL, NULL, 7, NULL, NULL, NULL, NULL""";
        queries.update("INSERT INTO %s SELECT * FROM (%s)".formatted(table, rows));
    }

    private void move(String table, String place) {
        String name = table.split("\\.")[2];
        switch (place) {
            case "flushed" -> sidecar(table).flush("s", name);
            case "compacted" -> sidecar(table).compact("s", name);
            case "restarted" -> sidecar(table).restart();
            default -> {}
        }
    }

    private static String row(long id, long a) {
        return """
               (BIGINT '%s', BIGINT '%s', DOUBLE '%s', CAST(3.25 AS decimal(30,2)), CAST('abc' AS varchar), CAST('é' AS char(4)), 7,
                CAST(ROW(1, ROW('zzz', NULL), NULL) AS row(x bigint, y row(zz varchar(5), u row(k bigint)), w date)),
                CAST(ARRAY[ROW(1, NULL), NULL, ROW(-3, NULL)] AS array(row(p integer, o bigint))),
                CAST(MAP(ARRAY['k', 'l'], ARRAY[ROW(1.5, 9), NULL]) AS map(varchar, row(s double, t bigint))),
                CAST(NULL AS bigint), CAST(NULL AS integer))"""
                .formatted(id, a, (double) 0.1f);
    }

    private static String nulls(long id) {
        return "(%s, NULL, NULL, NULL, NULL, NULL, 7, NULL, NULL, NULL, NULL, NULL)".formatted(id);
    }

    private void check(String table, String expected) {
        queries.assertSame("SELECT " + COLUMNS + " FROM " + table, "VALUES " + expected);
    }

    /** Column by column, which are read alone then. */
    private void checkColumns(String table) {
        queries.assertSame(
                "SELECT id, a FROM " + table,
                "VALUES (BIGINT '1', BIGINT '2'), (2, NULL), (3, %s)".formatted(1L << 40));
        queries.assertSame(
                "SELECT id, extra, gone, n FROM " + table,
                "VALUES (BIGINT '1', CAST(NULL AS bigint), CAST(NULL AS integer), 7), (2, 5, NULL, NULL), (3, NULL, NULL, 7)");
        queries.assertSame(
                "SELECT id, nested.x, nested.y.zz, nested.y.u.k, nested.w FROM " + table,
                "VALUES (BIGINT '1', BIGINT '1', CAST('zzz' AS varchar(5)), CAST(NULL AS bigint), CAST(NULL AS date)), (2, NULL, NULL, NULL, NULL), (3, NULL, NULL, NULL, NULL)");
        queries.assertSame(
                "SELECT id, arr[1].p, arr[3].p, arr[1].o, m['k'].s, m['k'].t FROM %s WHERE arr IS NOT NULL"
                        .formatted(table),
                "VALUES (BIGINT '1', 1, -3, CAST(NULL AS bigint), DOUBLE '1.5', BIGINT '9'), (3, 1, -3, NULL, 1.5, 9)");
        queries.assertSame(
                "SELECT id, r, d, words, c FROM %s WHERE id <> 2".formatted(table),
                "SELECT id, DOUBLE '%s', CAST(3.25 AS decimal(30,2)), CAST('abc' AS varchar), CAST('é' AS char(4)) FROM (VALUES BIGINT '1', 3) t(id)"
                        .formatted((double) 0.1f));
        queries.assertSame(
                "SELECT id, extra FROM %s WHERE id = 2".formatted(table),
                "VALUES (BIGINT '2', BIGINT '5')");
    }

    private void checkPredicates(String table) {
        List<String> matching =
                List.of(
                        "a = 2",
                        "a BETWEEN -5 AND 100",
                        "r > 0.05",
                        "d = DECIMAL '3.25'",
                        "words = 'abc'",
                        "c = 'é'",
                        "c >= 'é'",
                        "nested.x = 1",
                        "gone IS NULL AND a < 3");
        List<String> ofKey = matching.stream().map(predicate -> "id = 1 AND " + predicate).toList();
        List<String> nothing = List.of("gone = 1", "a = 3", "extra = 77", "words = 'abd'");
        assertThat(queries.counts(table, ofKey)).as("%s", ofKey).containsOnly(1L);
        assertThat(queries.counts(table, matching))
                .as("%s", matching)
                .allMatch(count -> count >= 1);
        assertThat(queries.counts(table, nothing)).as("%s", nothing).containsOnly(0L);
    }

    @Test
    void whatCannotBeReadIsRefusedByName() {
        String table = newTable(SMALL, "refusing");
        queries.run(
                """
                CREATE TABLE %s (id integer, part integer, b integer, i integer, x bigint, s row(f bigint), m map(row(k integer), bigint))
                WITH (primary_key = ARRAY['id', 'part'], distribution_key = ARRAY['id'], partitioned_by = ARRAY['part'],
                  bitmap_columns = ARRAY['b'], indexes = ARRAY['i(i)'])"""
                        .formatted(table));
        refused(table, "DROP COLUMN id", "'id' of primary_key");
        refused(table, "ALTER COLUMN part SET DATA TYPE bigint", "'part' of primary_key");
        refused(table, "DROP COLUMN b", "'b' of bitmap_columns");
        refused(table, "ALTER COLUMN i SET DATA TYPE bigint", "'i' of index");
        refused(table, "ALTER COLUMN x SET DATA TYPE integer", "holds every value of bigint");
        refused(table, "ALTER COLUMN x SET DATA TYPE varchar", "holds every value of bigint");
        refused(table, "ADD COLUMN y integer NOT NULL", "not null columns");
        refused(table, "DROP COLUMN s.f", "");
        refused(table, "ALTER COLUMN m.key.k SET DATA TYPE bigint", "map keys");
        queries.run("ALTER TABLE %s RENAME COLUMN b TO bb".formatted(table));
        queries.run("ALTER TABLE %s RENAME COLUMN part TO parted".formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 2, 3, 4, 5, NULL, NULL)".formatted(table));
        queries.assertSame(
                "SELECT id, x FROM %s WHERE bb = 3 AND parted = 2 AND i = 4".formatted(table),
                "VALUES (1, BIGINT '5')");
        assertThat((String) queries.value("SHOW CREATE TABLE " + table))
                .contains("bitmap_columns = ARRAY['bb']")
                .contains("partitioned_by = ARRAY['parted']");
    }

    private void refused(String table, String alter, String message) {
        assertThat(queries.failure("ALTER TABLE " + table + " " + alter))
                .hasMessageContaining(message);
    }

    /** Writers go on while names and types change, and every row they wrote is there. */
    @Test
    void writersAndReadersFollow() throws Exception {
        String table = newTable(SMALL, "followed");
        queries.run(
                "CREATE TABLE %s (id bigint, v integer) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong written = new AtomicLong();
        try (ExecutorService threads = Executors.newFixedThreadPool(2);
                SteleClient client = sidecar(table).client()) {
            Future<?> writer =
                    threads.submit(
                            () -> {
                                try (TableWriter rows = client.writer("s", table.split("\\.")[2])) {
                                    for (long id = 0; !stop.get(); ) {
                                        for (int i = 0; i < 20; i++, id++) {
                                            rows.write(id, (int) id);
                                        }
                                        rows.flush();
                                        written.set(id);
                                    }
                                }
                                return null;
                            });
            Future<?> reader =
                    threads.submit(
                            () -> {
                                while (!stop.get()) {
                                    readAll(table, written.get());
                                }
                                return null;
                            });
            try {
                for (int i = 0; i < 6; i++) {
                    awaitMore(written, writer);
                    queries.run(
                            "ALTER TABLE %s RENAME COLUMN %s TO v%s"
                                    .formatted(table, i == 0 ? "v" : "v" + (i - 1), i));
                    if (i == 3) {
                        queries.run(
                                "ALTER TABLE %s ALTER COLUMN v3 SET DATA TYPE bigint"
                                        .formatted(table));
                        move(table, "flushed");
                    }
                }
                awaitMore(written, writer);
            } finally {
                stop.set(true);
                writer.get(120, TimeUnit.SECONDS);
                reader.get(120, TimeUnit.SECONDS);
            }
        }
        assertThat(queries.count("SELECT count(*) FROM %s WHERE v5 = id".formatted(table)))
                .isEqualTo(written.get());
    }

    /** A query whose plan is older than a change of columns is told so, and has no other answer. */
    private void readAll(String table, long least) {
        try {
            assertThat(
                            queries.count(
                                    "SELECT count(*) FROM %s WHERE id < %s"
                                            .formatted(table, least)))
                    .isEqualTo(least);
        } catch (QueryFailedException changed) {
            assertThat(changed).hasMessageContaining("its columns were changed; begin again");
        }
    }

    private static void awaitMore(AtomicLong written, Future<?> writer) {
        long target = written.get() + 100;
        while (written.get() < target && !writer.isDone()) {
            Thread.onSpinWait();
        }
    }
}
