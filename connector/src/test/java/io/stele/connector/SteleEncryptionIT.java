package io.stele.connector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.LiveFolder;
import io.trino.testing.DistributedQueryRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sidecar and a Trino whose warehouse, log and page caches are encrypted, beside those that are
 * not: every file that they have written is searched for text that was in rows.
 */
@Timeout(1200)
final class SteleEncryptionIT {
    private static final String SECRET_TEXT = "confidential-";
    private static final String OLD_KEY = "old:" + "b2xkIG9sZCBvbGQgb2xkIG9sZCBvbGQgb2xkIG9sZCE=";
    private static final String NEW_KEY = "new:" + "bmV3IG5ldyBuZXcgbmV3IG5ldyBuZXcgbmV3IG5ldyE=";
    private static final List<String> TABLES = List.of("columns", "rows");

    @TempDir private Path directory;

    private static Map<String, String> keys(String keys) {
        return Map.of("stele.encryption.master-keys", keys);
    }

    private SidecarFixture sidecar(Map<String, String> encryption) {
        return new SidecarFixture(directory.resolve("sidecar"), with(encryption, "sidecar-pages"));
    }

    private DistributedQueryRunner runner(SidecarFixture sidecar, Map<String, String> encryption)
            throws Exception {
        DistributedQueryRunner runner = SteleCluster.queryRunner(0);
        runner.createCatalog(
                "stele",
                "stele",
                ImmutableMap.<String, String>builder()
                        .putAll(sidecar.catalogProperties())
                        // Large inserts by files of workers, small ones by the log
                        .put("stele.write.direct-threshold", "16kB")
                        .putAll(with(encryption, "worker-pages"))
                        .buildOrThrow());
        return runner;
    }

    private Map<String, String> with(Map<String, String> encryption, String pages) {
        return ImmutableMap.<String, String>builder()
                .put("stele.cache.enabled", "true")
                .put("stele.cache.directories", directory.resolve(pages).toString())
                .put("stele.cache.max-sizes", "64MB")
                .putAll(encryption)
                .buildOrThrow();
    }

    private static void create(DistributedQueryRunner runner) {
        runner.execute("CREATE SCHEMA stele.s");
        for (String orientation : List.of("column", "row")) {
            runner.execute(
                    """
                    CREATE TABLE stele.s.%ss (id bigint, v varchar)
                    WITH (primary_key = ARRAY['id'], orientation = '%s', shard_count = 2, compression = 'none')
                    """
                            .formatted(orientation, orientation));
        }
    }

    /** Rows from an id on: many by files of workers, some by the log. */
    private static void write(DistributedQueryRunner runner, int from) {
        for (String table : TABLES) {
            runner.execute(
                    "INSERT INTO stele.s.%s SELECT x, '%s' || CAST(x AS varchar) FROM UNNEST(sequence(%d, %d)) AS t(x)"
                            .formatted(table, SECRET_TEXT, from, from + 4_999));
            runner.execute(
                    "INSERT INTO stele.s.%s VALUES (%d, '%sin the log')"
                            .formatted(table, from + 5_000, SECRET_TEXT));
            runner.execute(
                    "UPDATE stele.s.%s SET v = v || '!' WHERE id = %d".formatted(table, from + 1));
            runner.execute("DELETE FROM stele.s.%s WHERE id = %d".formatted(table, from + 2));
        }
    }

    private static void check(DistributedQueryRunner runner, int... froms) {
        for (String table : TABLES) {
            assertThat(
                            runner.execute(
                                            "SELECT count(*), count(DISTINCT v) FROM stele.s."
                                                    + table)
                                    .getMaterializedRows()
                                    .getFirst()
                                    .getFields())
                    .containsExactly(5_000L * froms.length, 4_999L * froms.length + 1);
            for (int from : froms) {
                assertThat(value(runner, table, from)).isEqualTo(SECRET_TEXT + from);
                assertThat(value(runner, table, from + 1))
                        .isEqualTo(SECRET_TEXT + (from + 1) + "!");
                assertThat(value(runner, table, from + 5_000))
                        .isEqualTo(SECRET_TEXT + "in the log");
            }
        }
    }

    private static Object value(DistributedQueryRunner runner, String table, int id) {
        return runner.execute("SELECT v FROM stele.s.%s WHERE id = %d".formatted(table, id))
                .getOnlyValue();
    }

    /** First components of the files that have the text. */
    private List<String> placesOfPlainText() throws IOException {
        List<String> places = new ArrayList<>();
        for (Path file : LiveFolder.files(directory)) {
            if (new String(Files.readAllBytes(file), ISO_8859_1).contains(SECRET_TEXT)) {
                places.add(directory.relativize(file).toString());
            }
        }
        return places;
    }

    private void live(Map<String, String> encryption) throws Exception {
        try (SidecarFixture sidecar = sidecar(encryption);
                DistributedQueryRunner runner = runner(sidecar, encryption)) {
            create(runner);
            write(runner, 0);
            check(runner, 0);
            for (String table : TABLES) {
                sidecar.flush("s", table);
            }
            check(runner, 0);
            write(runner, 10_000);
            sidecar.compact("s", "columns");
            check(runner, 0, 10_000);
            sidecar.restart();
            check(runner, 0, 10_000);
        }
    }

    @Test
    void nothingOfTheRowsIsStoredPlain() throws Exception {
        live(keys(OLD_KEY));
        assertThat(placesOfPlainText()).isEmpty();
        assertThat(directory.resolve("worker-pages")).isNotEmptyDirectory();
        assertThat(directory.resolve("sidecar-pages")).isNotEmptyDirectory();

        // Keys change: what is old is read, what is new needs the new one only
        Map<String, String> both = keys(NEW_KEY + "," + OLD_KEY);
        try (SidecarFixture sidecar = sidecar(both);
                DistributedQueryRunner runner = runner(sidecar, both)) {
            check(runner, 0, 10_000);
            write(runner, 20_000);
            check(runner, 0, 10_000, 20_000);
        }
        assertThat(placesOfPlainText()).isEmpty();
        // The newest version of the catalog is under the new one
        assertThatThrownBy(() -> sidecar(keys(OLD_KEY)).close())
                .hasMessageContaining("Expected master key 'new', found only [old]");
        assertThatThrownBy(
                        () ->
                                sidecar(keys(NEW_KEY.replace("bmV3", "d3Jv") + "," + OLD_KEY))
                                        .close())
                .hasMessageContaining("this 'new' is not the one that it was written with");
        assertThatThrownBy(() -> sidecar(Map.of()).close())
                .hasMessageContaining("found an encrypted one and no master keys");
    }

    @Test
    void aWarehouseThatWasBegunPlainIsSwitchedOn() throws Exception {
        live(Map.of());
        assertThat(placesOfPlainText())
                .as("what the search finds without keys")
                .anyMatch(path -> path.startsWith("sidecar/warehouse/") && path.endsWith(".orc"))
                .anyMatch(path -> path.startsWith("sidecar/warehouse/") && path.endsWith(".row"))
                .anyMatch(path -> path.startsWith("sidecar/wal/"))
                .anyMatch(path -> path.startsWith("sidecar-pages/"))
                .anyMatch(path -> path.startsWith("worker-pages/"));

        Map<String, String> encryption = keys(OLD_KEY);
        try (SidecarFixture sidecar = sidecar(encryption);
                DistributedQueryRunner runner = runner(sidecar, encryption)) {
            check(runner, 0, 10_000);
            write(runner, 20_000);
            for (String table : TABLES) {
                sidecar.flush("s", table);
                sidecar.compact("s", table);
            }
            check(runner, 0, 10_000, 20_000);
            try (DistributedQueryRunner other = SteleCluster.queryRunner(0)) {
                other.createCatalog("stele", "stele", sidecar.catalogProperties());
                // Rows, which the worker reads; a sum is the sidecar's
                assertThatThrownBy(() -> other.execute("SELECT id FROM stele.s.columns"))
                        .hasMessageContaining(
                                "Expected the sidecar's master keys [old], found none");
            }
        }
    }
}
