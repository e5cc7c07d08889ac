package io.stele.sidecar.postgresql;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static java.util.Map.entry;

import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestPostgresConfig {
    @Test
    void testDefaults() {
        assertRecordedDefaults(
                recordDefaults(PostgresConfig.class)
                        .setPort(null)
                        .setMaxConnections(1024)
                        .setMaxMessageSize(DataSize.valueOf("64MB"))
                        .setMaxPendingSize(DataSize.valueOf("128MB"))
                        .setDatabase("stele")
                        .setMaxTrackedStatements(1000)
                        .setSlowStatementThreshold(Duration.valueOf("1s"))
                        .setUsersFile(null)
                        .setTrinoUri(null)
                        .setTrinoCatalog("stele")
                        .setTrinoUser(null)
                        .setTrinoPassword(null));
    }

    @Test
    void testExplicitProperties(@TempDir Path directory) throws IOException {
        Path users = Files.createFile(directory.resolve("users"));
        assertFullMapping(
                Map.ofEntries(
                        entry("stele.postgresql.port", "5432"),
                        entry("stele.postgresql.max-connections", "7"),
                        entry("stele.postgresql.max-message-size", "2MB"),
                        entry("stele.postgresql.max-pending-size", "65MB"),
                        entry("stele.postgresql.database", "lake"),
                        entry("stele.sql.max-tracked-statements", "7"),
                        entry("stele.sql.slow-statement-threshold", "50ms"),
                        entry("stele.postgresql.users-file", users.toString()),
                        entry("stele.postgresql.trino-uri", "https://trino:8443"),
                        entry("stele.postgresql.trino-catalog", "fast"),
                        entry("stele.postgresql.trino-user", "stele"),
                        entry("stele.postgresql.trino-password", "secret")),
                new PostgresConfig()
                        .setPort(5432)
                        .setMaxConnections(7)
                        .setMaxMessageSize(DataSize.valueOf("2MB"))
                        .setMaxPendingSize(DataSize.valueOf("65MB"))
                        .setDatabase("lake")
                        .setMaxTrackedStatements(7)
                        .setSlowStatementThreshold(Duration.valueOf("50ms"))
                        .setUsersFile(users.toFile())
                        .setTrinoUri(URI.create("https://trino:8443"))
                        .setTrinoCatalog("fast")
                        .setTrinoUser("stele")
                        .setTrinoPassword("secret"));
    }
}
