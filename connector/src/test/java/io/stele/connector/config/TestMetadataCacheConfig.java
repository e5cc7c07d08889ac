package io.stele.connector.config;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestMetadataCacheConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(MetadataCacheConfig.class)
                        .setEnabled(true)
                        .setPushEnabled(true)
                        .setMaxSize(DataSize.of(32, MEGABYTE))
                        .setMaxStaleness(new Duration(0, SECONDS)));
    }

    @Test
    void explicitMappings() {
        assertFullMapping(
                Map.of(
                        "stele.metadata-cache.enabled", "false",
                        "stele.metadata-cache.push-enabled", "false",
                        "stele.metadata-cache.max-size", "64MB",
                        "stele.metadata-cache.max-staleness", "5s"),
                new MetadataCacheConfig()
                        .setEnabled(false)
                        .setPushEnabled(false)
                        .setMaxSize(DataSize.of(64, MEGABYTE))
                        .setMaxStaleness(new Duration(5, SECONDS)));
    }
}
