package io.stele.connector.config;

import static io.airlift.configuration.testing.ConfigAssertions.assertDeprecatedEquivalence;
import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static io.airlift.testing.ValidationAssertions.assertFailsValidation;
import static io.airlift.units.DataSize.Unit.GIGABYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.common.collect.ImmutableMap;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestSteleConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(SteleConfig.class)
                        .setSidecarUri(null)
                        .setSharedSecret(null)
                        .setWarehousePath(null)
                        .setTrustCertificatePath(null)
                        .setRequestTimeout(new Duration(30, SECONDS))
                        .setChangeTimeout(new Duration(4, HOURS))
                        .setOutageTimeout(new Duration(30, SECONDS))
                        .setTransactionTtl(new Duration(5, MINUTES))
                        .setSnapshotTtl(new Duration(60, SECONDS))
                        .setMaxSplitSize(DataSize.of(32, MEGABYTE))
                        .setSpillThreshold(DataSize.of(1, GIGABYTE))
                        .setTailCacheSize(DataSize.of(64, MEGABYTE))
                        .setColumnCacheSize(DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 10))
                        .setDirectWriteThreshold(DataSize.of(16, MEGABYTE))
                        .setWarmOnWrite(false)
                        .setAggregationPushdownEnabled(true)
                        .setSortBufferSize(DataSize.of(128, MEGABYTE))
                        .setMaxOpenSize(DataSize.of(256, MEGABYTE)));
    }

    @Test
    void explicitMappings() {
        Map<String, String> properties =
                ImmutableMap.<String, String>builder()
                        .put("stele.sidecar.uri", "https://example.net:8443")
                        .put("stele.shared-secret", "0123456789abcdef")
                        .put("stele.warehouse.path", "/mnt/warehouse")
                        .put("stele.tls.trust-certificate-path", "/etc/stele/ca.pem")
                        .put("stele.request-timeout", "2m")
                        .put("stele.change-timeout", "20m")
                        .put("stele.outage-timeout", "2s")
                        .put("stele.transaction.ttl", "7m")
                        .put("stele.snapshot.ttl", "5m")
                        .put("stele.scan.max-split-size", "64MB")
                        .put("stele.scan.spill-threshold", "3GB")
                        .put("stele.scan.tail-cache-size", "1GB")
                        .put("stele.scan.column-cache-size", "2GB")
                        .put("stele.write.direct-threshold", "1MB")
                        .put("stele.write.sort-buffer-size", "256MB")
                        .put("stele.write.max-open-size", "512MB")
                        .put("stele.cache.warm-on-write", "true")
                        .put("stele.aggregation-pushdown.enabled", "false")
                        .buildOrThrow();
        assertFullMapping(
                properties,
                new SteleConfig()
                        .setSidecarUri(URI.create("https://example.net:8443"))
                        .setSharedSecret("0123456789abcdef")
                        .setWarehousePath("/mnt/warehouse")
                        .setTrustCertificatePath("/etc/stele/ca.pem")
                        .setRequestTimeout(new Duration(2, MINUTES))
                        .setChangeTimeout(new Duration(20, MINUTES))
                        .setOutageTimeout(new Duration(2, SECONDS))
                        .setTransactionTtl(new Duration(7, MINUTES))
                        .setSnapshotTtl(new Duration(5, MINUTES))
                        .setMaxSplitSize(DataSize.of(64, MEGABYTE))
                        .setSpillThreshold(DataSize.of(3, GIGABYTE))
                        .setTailCacheSize(DataSize.of(1, GIGABYTE))
                        .setColumnCacheSize(DataSize.of(2, GIGABYTE))
                        .setDirectWriteThreshold(DataSize.of(1, MEGABYTE))
                        .setWarmOnWrite(true)
                        .setAggregationPushdownEnabled(false)
                        .setSortBufferSize(DataSize.of(256, MEGABYTE))
                        .setMaxOpenSize(DataSize.of(512, MEGABYTE)));
    }

    @Test
    void earlierNamesStillWork() {
        assertDeprecatedEquivalence(
                SteleConfig.class,
                Map.of(
                        "stele.sidecar.uri", "http://localhost:8480",
                        "stele.shared-secret", "0123456789abcdef",
                        "stele.snapshot.ttl", "5m"),
                Map.of(
                        "stele.sidecar.uri", "http://localhost:8480",
                        "stele.shared-secret", "0123456789abcdef",
                        "stele.read-point.ttl", "5m"));
    }

    @Test
    void refusesWhatCannotWork() {
        assertFailsValidation(
                new SteleConfig().setSharedSecret("0123456789abcdef"),
                "sidecarUri",
                "must not be null",
                NotNull.class);
        assertFailsValidation(
                new SteleConfig().setSidecarUri(URI.create("http://localhost:8090")),
                "sharedSecret",
                "must not be null",
                NotNull.class);
        assertFailsValidation(
                new SteleConfig()
                        .setSharedSecret("0123456789abcdef")
                        .setSidecarUri(URI.create("localhost")),
                "sidecarUriValid",
                "stele.sidecar.uri must be http://host:port or https://host:port",
                AssertTrue.class);
    }
}
