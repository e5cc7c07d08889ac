package io.stele.sidecar.framed;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import io.airlift.units.DataSize;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestFramedConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(FramedConfig.class)
                        .setPort(8482)
                        .setMaxConnections(1024)
                        .setMaxPendingRequests(1024)
                        .setMaxPendingBytes(DataSize.of(128, DataSize.Unit.MEGABYTE)));
    }

    @Test
    void explicitMapping() {
        assertFullMapping(
                Map.of(
                        "stele.client.port", "0",
                        "stele.client.max-connections", "7",
                        "stele.client.max-pending-requests", "3",
                        "stele.client.max-pending-bytes", "1GB"),
                new FramedConfig()
                        .setPort(0)
                        .setMaxConnections(7)
                        .setMaxPendingRequests(3)
                        .setMaxPendingBytes(DataSize.of(1, DataSize.Unit.GIGABYTE)));
    }
}
