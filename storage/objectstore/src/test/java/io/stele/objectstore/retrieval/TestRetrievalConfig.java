package io.stele.objectstore.retrieval;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TestRetrievalConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(RetrievalConfig.class)
                        .setClient(RetrievalConfig.Client.DIRECT)
                        .setThreads(1)
                        .setMinRequests(32)
                        .setMaxRequests(256)
                        .setMaxBytesInFlight(DataSize.of(1, Unit.GIGABYTE))
                        .setBandwidthLimit(DataSize.ofBytes(0))
                        .setBufferSize(DataSize.of(256, Unit.MEGABYTE))
                        .setMaxAhead(DataSize.of(64, Unit.MEGABYTE))
                        .setHedgeBudget(0.05));
    }

    @Test
    void explicitMappings() {
        assertFullMapping(
                Map.ofEntries(
                        Map.entry("retrieval.client", "SDK"),
                        Map.entry("retrieval.threads", "3"),
                        Map.entry("retrieval.min-requests", "4"),
                        Map.entry("retrieval.max-requests", "5"),
                        Map.entry("retrieval.max-bytes-in-flight", "17MB"),
                        Map.entry("retrieval.bandwidth-limit", "100MB"),
                        Map.entry("retrieval.buffer-size", "18MB"),
                        Map.entry("retrieval.max-ahead", "19MB"),
                        Map.entry("retrieval.hedge-budget", "0.1")),
                new RetrievalConfig()
                        .setClient(RetrievalConfig.Client.SDK)
                        .setThreads(3)
                        .setMinRequests(4)
                        .setMaxRequests(5)
                        .setMaxBytesInFlight(DataSize.of(17, Unit.MEGABYTE))
                        .setBandwidthLimit(DataSize.of(100, Unit.MEGABYTE))
                        .setBufferSize(DataSize.of(18, Unit.MEGABYTE))
                        .setMaxAhead(DataSize.of(19, Unit.MEGABYTE))
                        .setHedgeBudget(0.1));
    }

    @Test
    void theLeastIsNotMoreThanTheMost() {
        RetrievalConfig config = new RetrievalConfig().setMinRequests(10).setMaxRequests(9);
        assertThat(config.isRequestsValid()).isFalse();
    }
}
