package io.stele.sidecar.postgresql;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import io.airlift.units.DataSize;
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
                Map.of(
                        "stele.postgresql.port", "5432",
                        "stele.postgresql.max-connections", "7",
                        "stele.postgresql.max-message-size", "2MB",
                        "stele.postgresql.max-pending-size", "65MB",
                        "stele.postgresql.database", "lake",
                        "stele.postgresql.users-file", users.toString(),
                        "stele.postgresql.trino-uri", "https://trino:8443",
                        "stele.postgresql.trino-catalog", "fast",
                        "stele.postgresql.trino-user", "stele",
                        "stele.postgresql.trino-password", "secret"),
                new PostgresConfig()
                        .setPort(5432)
                        .setMaxConnections(7)
                        .setMaxMessageSize(DataSize.valueOf("2MB"))
                        .setMaxPendingSize(DataSize.valueOf("65MB"))
                        .setDatabase("lake")
                        .setUsersFile(users.toFile())
                        .setTrinoUri(URI.create("https://trino:8443"))
                        .setTrinoCatalog("fast")
                        .setTrinoUser("stele")
                        .setTrinoPassword("secret"));
    }
}
