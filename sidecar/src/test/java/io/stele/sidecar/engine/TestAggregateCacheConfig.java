package io.stele.sidecar.engine;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static io.airlift.units.DataSize.Unit.KILOBYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;

import io.airlift.units.DataSize;
import java.io.File;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestAggregateCacheConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(AggregateCacheConfig.class)
                        .setEnabled(true)
                        .setMaxMemorySize(DataSize.of(64, MEGABYTE))
                        .setMaxResultSize(DataSize.of(1, MEGABYTE))
                        .setDirectory(null)
                        .setMaxDiskSize(DataSize.of(256, MEGABYTE))
                        .setVerifyShare(0));
    }

    @Test
    void explicitMappings() {
        assertFullMapping(
                Map.of(
                        "stele.fragment-cache.enabled", "false",
                        "stele.fragment-cache.max-memory-size", "1MB",
                        "stele.fragment-cache.max-result-size", "64kB",
                        "stele.fragment-cache.directory", "/cache/results",
                        "stele.fragment-cache.max-disk-size", "2MB",
                        "stele.fragment-cache.verify-share", "0.25"),
                new AggregateCacheConfig()
                        .setEnabled(false)
                        .setMaxMemorySize(DataSize.of(1, MEGABYTE))
                        .setMaxResultSize(DataSize.of(64, KILOBYTE))
                        .setDirectory(new File("/cache/results"))
                        .setMaxDiskSize(DataSize.of(2, MEGABYTE))
                        .setVerifyShare(0.25));
    }
}
