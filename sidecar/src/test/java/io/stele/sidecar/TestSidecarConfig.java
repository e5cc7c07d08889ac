package io.stele.sidecar;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import io.airlift.units.Duration;
import java.io.File;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestSidecarConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(SidecarConfig.class)
                        .setPortsFile(null)
                        .setShutdownTimeout(new Duration(10, TimeUnit.SECONDS)));
    }

    @Test
    void explicitMapping() {
        assertFullMapping(
                Map.of("stele.ports-file", "/run/stele/ports.json", "stele.shutdown-timeout", "3s"),
                new SidecarConfig()
                        .setPortsFile(new File("/run/stele/ports.json"))
                        .setShutdownTimeout(new Duration(3, TimeUnit.SECONDS)));
    }
}
