package io.stele.sidecar.framed;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MinDataSize;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** Settings of the framed server. */
public class FramedConfig {
    private int port = 8482;
    private int maxConnections = 1024;
    private int maxPendingRequests = 1024;
    private DataSize maxPendingBytes = DataSize.of(128, DataSize.Unit.MEGABYTE);

    @Min(0)
    @Max(65535)
    public int getPort() {
        return port;
    }

    @Config("stele.client.port")
    @ConfigDescription("TCP port of the framed protocol of the Java client; 0 takes a free port")
    public FramedConfig setPort(int port) {
        this.port = port;
        return this;
    }

    @Min(1)
    @Max(100_000)
    public int getMaxConnections() {
        return maxConnections;
    }

    @Config("stele.client.max-connections")
    @ConfigDescription("Client connections served at the same time; more are refused as busy")
    public FramedConfig setMaxConnections(int maxConnections) {
        this.maxConnections = maxConnections;
        return this;
    }

    @Min(1)
    @Max(1_000_000)
    public int getMaxPendingRequests() {
        return maxPendingRequests;
    }

    @Config("stele.client.max-pending-requests")
    @ConfigDescription("Unanswered requests of one connection before no more are read from it")
    public FramedConfig setMaxPendingRequests(int maxPendingRequests) {
        this.maxPendingRequests = maxPendingRequests;
        return this;
    }

    // One frame may be 64 MiB, so less could never admit it.
    @MinDataSize("65MB")
    @MaxDataSize("64GB")
    public DataSize getMaxPendingBytes() {
        return maxPendingBytes;
    }

    @Config("stele.client.max-pending-bytes")
    @ConfigDescription("Bytes of unanswered requests over all connections before no more are read")
    public FramedConfig setMaxPendingBytes(DataSize maxPendingBytes) {
        this.maxPendingBytes = maxPendingBytes;
        return this;
    }
}
