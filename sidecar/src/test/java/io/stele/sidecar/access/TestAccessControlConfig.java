package io.stele.sidecar.access;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import io.airlift.units.Duration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestAccessControlConfig {
    @Test
    void testDefaults() {
        assertRecordedDefaults(
                recordDefaults(AccessControlConfig.class)
                        .setRulesFile(null)
                        .setRefreshPeriod(new Duration(10, TimeUnit.SECONDS)));
    }

    @Test
    void testExplicitProperties(@TempDir Path directory) throws IOException {
        Path rules = Files.createFile(directory.resolve("rules.json"));
        assertFullMapping(
                Map.of(
                        "stele.access-control.rules-file",
                        rules.toString(),
                        "stele.access-control.refresh-period",
                        "1m"),
                new AccessControlConfig()
                        .setRulesFile(rules.toFile())
                        .setRefreshPeriod(new Duration(1, TimeUnit.MINUTES)));
    }
}
