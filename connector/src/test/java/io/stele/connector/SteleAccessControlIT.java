package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import io.trino.Session;
import io.trino.spi.security.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Access control of a catalog, and what a sidecar is told of who asks. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleAccessControlIT {
    private static final String RULES =
            """
            {"schemas": [{"user": "admin", "owner": true}, {"owner": false}],
             "tables": [
                {"user": "admin", "privileges": ["SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP"]},
                {"user": "clerk", "schema": "s", "table": "guarded_.*", "privileges": ["SELECT", "INSERT", "DELETE", "UPDATE"],
                 "filter": "region = 'north'"},
                {"user": "auditor", "schema": "s", "table": "guarded_.*", "privileges": ["SELECT"],
                 "columns": [{"name": "secret", "mask": "'***'"}]},
                {"user": "guest", "schema": "s", "table": "guarded_[0-9]+", "privileges": ["SELECT"],
                 "columns": [{"name": "secret", "allow": false}]},
                {"privileges": []}],
             "procedures": [{"user": "admin", "schema": "system", "procedure": ".*", "privileges": ["EXECUTE"]}]}
            """;

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleAccessControlIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void aReadOnlyCatalogReadsOnly() {
        String table = SteleQueries.newTable("read_only");
        queries.run(
                "CREATE TABLE %s (id bigint) WITH (primary_key = ARRAY['id'])".formatted(table));
        queries.run("INSERT INTO %s VALUES (1)".formatted(table));
        catalog("stele_reading", ImmutableMap.of("stele.security", "READ_ONLY"));
        String name = "stele_reading.s." + table;
        assertThat(queries.count("SELECT count(*) FROM " + name)).isEqualTo(1);
        for (String change :
                new String[] {
                    "INSERT INTO %s VALUES (2)",
                    "DELETE FROM %s",
                    "UPDATE %s SET id = 2",
                    "DROP TABLE %s",
                    "TRUNCATE TABLE %s",
                    "ALTER TABLE %s ADD COLUMN c bigint",
                    "ALTER TABLE %s RENAME TO stele_reading.s.other",
                    "COMMENT ON TABLE %s IS 'x'"
                }) {
            assertThat(queries.failure(change.formatted(name)))
                    .hasMessageContaining("Access Denied");
        }
        assertThat(queries.failure("CREATE TABLE stele_reading.s.new_one (a bigint)"))
                .hasMessageContaining("Access Denied: Cannot create table s.new_one");
        assertThat(queries.count("SELECT count(*) FROM " + table)).isEqualTo(1);
    }

    @Test
    void rulesOfAFileHideRowsColumnsAndTables(@TempDir Path folder) throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.json"), RULES);
        catalog(
                "stele_guarded",
                ImmutableMap.of(
                        "stele.security", "FILE", "security.config-file", rules.toString()));
        String table = "stele_guarded.s." + SteleQueries.newTable("guarded");
        as(
                "admin",
                "CREATE TABLE %s (id bigint, region varchar, secret varchar, n bigint) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        as(
                "admin",
                "INSERT INTO %s VALUES (1, 'north', 'a', 10), (2, 'south', 'b', 20), (3, 'north', 'c', 30)"
                        .formatted(table));

        assertThat(rows("clerk", "SELECT id, secret FROM %s ORDER BY id".formatted(table)))
                .isEqualTo("[[1, a], [3, c]]");
        assertThat(rows("auditor", "SELECT id, secret FROM %s WHERE id = 2".formatted(table)))
                .isEqualTo("[[2, ***]]");
        // A row that the filter hides is not deleted either, by key or not
        as("clerk", "DELETE FROM %s WHERE id = 2".formatted(table));
        as("clerk", "DELETE FROM %s WHERE n >= 20".formatted(table));
        assertThat(rows("admin", "SELECT id, secret, n FROM %s ORDER BY id".formatted(table)))
                .isEqualTo("[[1, a, 10], [2, b, 20]]");
        assertDenied(
                "clerk",
                "INSERT INTO %s VALUES (4, 'south', 'd', 1)".formatted(table),
                "Cannot insert row that does not match a row filter");

        assertThat(rows("guest", "SELECT id, n FROM %s ORDER BY id".formatted(table)))
                .isEqualTo("[[1, 10], [2, 20]]");
        assertDenied("guest", "SELECT secret FROM " + table, "Cannot select from table");
        assertDenied("guest", "DELETE FROM %s".formatted(table), "Cannot delete from table");
        assertDenied("clerk", "DROP TABLE " + table, "Cannot drop table");
        assertDenied("nobody", "SELECT id FROM " + table, "Cannot select from");
        assertDenied("nobody", "SHOW TABLES FROM stele_guarded.s", "Cannot show tables of schema");
        assertDenied(
                "clerk",
                "CALL stele_guarded.system.flush('s', 'guarded')",
                "Cannot execute procedure");
        // Metadata tables say much of what is in a table
        assertDenied(
                "guest",
                "SELECT * FROM stele_guarded.s.\"%s$files\""
                        .formatted(table.substring(table.lastIndexOf('.') + 1)),
                "Cannot select from");
        as("admin", "DROP TABLE " + table);
    }

    @Test
    void anUnknownKindIsRefusedByName() {
        assertThatThrownBy(
                        () -> catalog("stele_wrong", ImmutableMap.of("stele.security", "PERHAPS")))
                .hasStackTraceContaining("stele.security")
                .hasStackTraceContaining("PERHAPS");
        assertThatThrownBy(() -> catalog("stele_wrong", ImmutableMap.of("stele.security", "FILE")))
                .hasStackTraceContaining("security.config-file");
    }

    @Test
    void theSidecarLogsWhoChangedTheCatalog() {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        Logger logger = Logger.getLogger("io.stele.sidecar.flight.ActionService");
        Handler handler = new Collecting(lines);
        logger.addHandler(handler);
        String table = SteleQueries.newTable("audited");
        try {
            as("alice", "CREATE TABLE stele.s.%s (id bigint)".formatted(table));
            as("bob", "INSERT INTO stele.s.%s VALUES 1".formatted(table));
            as("bob", "DROP TABLE stele.s." + table);
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(lines.stream().filter(line -> line.contains(table)))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("create-table of user 'alice' from "),
                        line -> assertThat(line).startsWith("drop-table of user 'bob' from "));
    }

    private void catalog(String name, ImmutableMap<String, String> more) {
        cluster.runner()
                .createCatalog(
                        name,
                        "stele",
                        ImmutableMap.<String, String>builder()
                                .putAll(cluster.sidecar().catalogProperties())
                                .putAll(more)
                                .buildOrThrow());
    }

    private void as(String user, String sql) {
        cluster.runner().execute(session(user), sql);
    }

    private String rows(String user, String sql) {
        return cluster.runner().execute(session(user), sql).getMaterializedRows().toString();
    }

    private void assertDenied(String user, String sql, String message) {
        assertThatThrownBy(() -> as(user, sql)).hasMessageContaining("Access Denied: " + message);
    }

    private Session session(String user) {
        return Session.builder(cluster.runner().getDefaultSession())
                .setIdentity(Identity.ofUser(user))
                .build();
    }

    /** Keeps what is logged. */
    private static final class Collecting extends Handler {
        private final Queue<String> lines;

        Collecting(Queue<String> lines) {
            this.lines = lines;
        }

        @Override
        public void publish(LogRecord line) {
            lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
