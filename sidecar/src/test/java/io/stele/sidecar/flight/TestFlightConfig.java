package io.stele.sidecar.flight;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestFlightConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(FlightConfig.class)
                        .setPort(8481)
                        .setMaxMessageSize(DataSize.of(65, DataSize.Unit.MEGABYTE))
                        .setMaxConnections(1024)
                        .setMaxStreams(256)
                        .setMaxStreamsPerConnection(128)
                        .setMaxPendingBatches(8)
                        .setReadBatchSize(DataSize.of(1, DataSize.Unit.MEGABYTE))
                        .setAggregationMaxSize(DataSize.of(64, DataSize.Unit.MEGABYTE))
                        .setStalledStreamTimeout(new Duration(5, TimeUnit.MINUTES)));
    }

    @Test
    void explicitMapping() {
        assertFullMapping(
                Map.of(
                        "stele.flight.port", "0",
                        "stele.flight.max-connections", "5",
                        "stele.flight.max-message-size", "32MB",
                        "stele.flight.max-streams", "7",
                        "stele.flight.max-streams-per-connection", "3",
                        "stele.flight.max-pending-batches", "2",
                        "stele.flight.read-batch-size", "64kB",
                        "stele.aggregation.max-size", "1MB",
                        "stele.flight.stalled-stream-timeout", "30s"),
                new FlightConfig()
                        .setPort(0)
                        .setMaxMessageSize(DataSize.of(32, DataSize.Unit.MEGABYTE))
                        .setMaxConnections(5)
                        .setMaxStreams(7)
                        .setMaxStreamsPerConnection(3)
                        .setMaxPendingBatches(2)
                        .setReadBatchSize(DataSize.of(64, DataSize.Unit.KILOBYTE))
                        .setAggregationMaxSize(DataSize.of(1, DataSize.Unit.MEGABYTE))
                        .setStalledStreamTimeout(new Duration(30, TimeUnit.SECONDS)));
    }
}
