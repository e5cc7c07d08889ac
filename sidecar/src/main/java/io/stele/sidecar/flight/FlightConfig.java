package io.stele.sidecar.flight;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.concurrent.TimeUnit;

/** Settings of the Arrow Flight server. */
public class FlightConfig {
    private int port = 8481;
    // 64 MiB is the batch limit of the engine; the rest is for the Arrow and gRPC headers.
    private DataSize maxMessageSize = DataSize.of(65, DataSize.Unit.MEGABYTE);
    private int maxConnections = 1024;
    private int maxStreams = 256;
    private int maxStreamsPerConnection = 128;
    private int maxPendingBatches = 8;
    private DataSize readBatchSize = DataSize.of(1, DataSize.Unit.MEGABYTE);
    // Some hundred thousand groups, of which a sidecar has room for a few queries.
    private DataSize aggregationMaxSize = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private Duration stalledStreamTimeout = new Duration(5, TimeUnit.MINUTES);

    @Min(0)
    @Max(65535)
    public int getPort() {
        return port;
    }

    @Config("stele.flight.port")
    @ConfigDescription("TCP port of Arrow Flight; 0 takes a free port")
    public FlightConfig setPort(int port) {
        this.port = port;
        return this;
    }

    @MinDataSize("1MB")
    @MaxDataSize("1GB")
    public DataSize getMaxMessageSize() {
        return maxMessageSize;
    }

    @Config("stele.flight.max-message-size")
    @ConfigDescription("Largest Flight message accepted")
    public FlightConfig setMaxMessageSize(DataSize maxMessageSize) {
        this.maxMessageSize = maxMessageSize;
        return this;
    }

    @Min(1)
    @Max(100_000)
    public int getMaxConnections() {
        return maxConnections;
    }

    @Config("stele.flight.max-connections")
    @ConfigDescription(
            "Flight connections that have logged in at the same time; more are refused as busy")
    public FlightConfig setMaxConnections(int maxConnections) {
        this.maxConnections = maxConnections;
        return this;
    }

    @Min(1)
    @Max(100_000)
    public int getMaxStreams() {
        return maxStreams;
    }

    @Config("stele.flight.max-streams")
    @ConfigDescription(
            "Calls served at the same time over all connections; more are refused as busy")
    public FlightConfig setMaxStreams(int maxStreams) {
        this.maxStreams = maxStreams;
        return this;
    }

    @Min(1)
    @Max(100_000)
    public int getMaxStreamsPerConnection() {
        return maxStreamsPerConnection;
    }

    @Config("stele.flight.max-streams-per-connection")
    @ConfigDescription("Calls one connection may have open; its client waits beyond that")
    public FlightConfig setMaxStreamsPerConnection(int maxStreamsPerConnection) {
        this.maxStreamsPerConnection = maxStreamsPerConnection;
        return this;
    }

    @Min(1)
    @Max(1024)
    public int getMaxPendingBatches() {
        return maxPendingBatches;
    }

    @Config("stele.flight.max-pending-batches")
    @ConfigDescription(
            "Batches of one DoPut that may wait for durability before its client is held back")
    public FlightConfig setMaxPendingBatches(int maxPendingBatches) {
        this.maxPendingBatches = maxPendingBatches;
        return this;
    }

    @MinDataSize("1kB")
    @MaxDataSize("32MB")
    public DataSize getReadBatchSize() {
        return readBatchSize;
    }

    @Config("stele.flight.read-batch-size")
    @ConfigDescription("Size at which a record batch of a DoGet is sent")
    public FlightConfig setReadBatchSize(DataSize readBatchSize) {
        this.readBatchSize = readBatchSize;
        return this;
    }

    @MinDataSize("64kB")
    @MaxDataSize("4GB")
    public DataSize getAggregationMaxSize() {
        return aggregationMaxSize;
    }

    @Config("stele.aggregation.max-size")
    @ConfigDescription(
            "Groups of an aggregation in memory at once, in each thread that computes it; more are computed in several passes over the rows")
    public FlightConfig setAggregationMaxSize(DataSize aggregationMaxSize) {
        this.aggregationMaxSize = aggregationMaxSize;
        return this;
    }

    @MinDuration("1s")
    public Duration getStalledStreamTimeout() {
        return stalledStreamTimeout;
    }

    @Config("stele.flight.stalled-stream-timeout")
    @ConfigDescription(
            "A DoGet whose client takes nothing for this long is cancelled; one that leaves the result of an action loses its connection")
    public FlightConfig setStalledStreamTimeout(Duration stalledStreamTimeout) {
        this.stalledStreamTimeout = stalledStreamTimeout;
        return this;
    }
}
