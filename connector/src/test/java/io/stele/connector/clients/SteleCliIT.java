package io.stele.connector.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.SteleCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Trino's command line client, the program that users download. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleCliIT {
    /** Put there by the build. */
    private static final Path CLI = Path.of("target/clients/trino-cli.jar");

    private final String server;
    @TempDir private Path directory;

    SteleCliIT(SteleCluster cluster) {
        this.server = cluster.runner().getCoordinator().getBaseUrl().toString();
    }

    private ClientProcess.Outcome cli(String... arguments)
            throws IOException, InterruptedException {
        assertThat(CLI).exists();
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-jar",
                                CLI.toAbsolutePath().toString(),
                                "--server",
                                server,
                                "--user",
                                "cli",
                                "--catalog",
                                "stele"));
        command.addAll(List.of(arguments));
        // Neither the settings nor the history of whoever runs the test
        return ClientProcess.run(
                directory, Map.of("HOME", directory.toString()), command.toArray(String[]::new));
    }

    @Test
    void aScriptDefinesWritesAndReads() throws Exception {
        Path script = directory.resolve("script.sql");
        Files.writeString(
                script,
                """
                CREATE SCHEMA cli;
                CREATE TABLE cli.orders (id bigint, note varchar, total decimal(12, 2))
                WITH (primary_key = ARRAY['id']);
                INSERT INTO cli.orders VALUES (1, 'it''s "new"', 9.9), (2, NULL, 0.5), (3, 'ü', 1);
                UPDATE cli.orders SET note = 'changed' WHERE id = 2;
                DELETE FROM cli.orders WHERE id = 3;
                USE cli;
                SHOW TABLES;
                DESCRIBE orders;
                SELECT * FROM orders ORDER BY id;
                SELECT count(*), sum(total) FROM orders;
                DROP TABLE orders;
                DROP SCHEMA cli;
                """,
                UTF_8);
        ClientProcess.Outcome done =
                cli("--file", script.toString(), "--output-format", "CSV_HEADER_UNQUOTED");
        assertThat(done.status()).as(done.output()).isZero();
        // A terminal library tells of its configuration first
        assertThat(done.output().lines().dropWhile(line -> !line.equals("CREATE SCHEMA")))
                .containsExactly(
                        "CREATE SCHEMA",
                        "CREATE TABLE",
                        "INSERT: 3 rows",
                        "UPDATE: 1 row",
                        "DELETE: 1 row",
                        "USE",
                        "Table",
                        "orders",
                        "Column,Type,Extra,Comment",
                        "id,bigint,primary key,",
                        "note,varchar,,",
                        "total,decimal(12,2),,",
                        "id,note,total",
                        "1,it's \"new\",9.90",
                        "2,changed,0.50",
                        "_col0,_col1",
                        "2,10.40",
                        "DROP TABLE",
                        "DROP SCHEMA");
    }

    @Test
    void aFailureSaysWhatIsWrongAndEndsTheScript() throws Exception {
        ClientProcess.Outcome done =
                cli("--execute", "SELECT * FROM s.no_such_table; SELECT 'not reached'");
        assertThat(done.status()).isNotZero();
        assertThat(done.output())
                .contains("Table 'stele.s.no_such_table' does not exist")
                .doesNotContain("not reached");
    }
}
