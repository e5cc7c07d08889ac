package io.stele.connector.config;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static io.airlift.units.DataSize.Unit.KILOBYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;

import io.airlift.units.DataSize;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestFilteredRowsCacheConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(FilteredRowsCacheConfig.class)
                        .setEnabled(true)
                        .setMaxMemorySize(DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 50))
                        .setMaxResultSize(DataSize.of(1, MEGABYTE))
                        .setVerifyShare(0));
    }

    @Test
    void explicitMappings() {
        assertFullMapping(
                Map.of(
                        "stele.fragment-cache.enabled", "false",
                        "stele.fragment-cache.max-memory-size", "1MB",
                        "stele.fragment-cache.max-result-size", "64kB",
                        "stele.fragment-cache.verify-share", "0.25"),
                new FilteredRowsCacheConfig()
                        .setEnabled(false)
                        .setMaxMemorySize(DataSize.of(1, MEGABYTE))
                        .setMaxResultSize(DataSize.of(64, KILOBYTE))
                        .setVerifyShare(0.25));
    }
}
