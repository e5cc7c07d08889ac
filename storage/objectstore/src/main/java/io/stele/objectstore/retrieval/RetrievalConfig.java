package io.stele.objectstore.retrieval;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.MinDataSize;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.util.OptionalLong;

/**
 * Configuration of reads from a store over a network: requests in flight, bandwidth, buffers,
 * read-ahead and hedging. Sidecars and Trino catalogs use the same keys.
 *
 * <p>Not final: airlift subclasses it to test its defaults.
 */
public class RetrievalConfig {
    /** The clients that can send the requests of reads. */
    public enum Client {
        /** Stele's own HTTP connections. */
        DIRECT,
        /** The client of the store's vendor. */
        SDK
    }

    private Client client = Client.DIRECT;
    private int threads = 1;
    private int minRequests = RetrievalOptions.DEFAULT.minRequests();
    private int maxRequests = RetrievalOptions.DEFAULT.maxRequests();
    private DataSize maxBytesInFlight =
            DataSize.ofBytes(RetrievalOptions.DEFAULT.maxBytesInFlight()).succinct();
    private DataSize bandwidthLimit = DataSize.ofBytes(0);
    private DataSize bufferSize =
            DataSize.ofBytes(RetrievalOptions.DEFAULT.bulkBufferBytes()).succinct();
    private DataSize maxAhead = DataSize.of(64, DataSize.Unit.MEGABYTE);
    private double hedgeBudget = RetrievalOptions.DEFAULT.hedgeShare();

    @NotNull
    public Client getClient() {
        return client;
    }

    @Config("retrieval.client")
    @ConfigDescription(
            "Who sends the requests of reads: DIRECT (connections of our own; no proxies), or SDK (the AWS SDK's client)")
    public RetrievalConfig setClient(Client client) {
        this.client = client;
        return this;
    }

    @Min(1)
    @Max(64)
    public int getThreads() {
        return threads;
    }

    @Config("retrieval.threads")
    @ConfigDescription("Threads that drive the connections of DIRECT; one does some 2 GB a second")
    public RetrievalConfig setThreads(int threads) {
        this.threads = threads;
        return this;
    }

    @Min(1)
    @Max(10_000)
    public int getMinRequests() {
        return minRequests;
    }

    @Config("retrieval.min-requests")
    @ConfigDescription("Requests in flight that are always allowed")
    public RetrievalConfig setMinRequests(int minRequests) {
        this.minRequests = minRequests;
        return this;
    }

    @Min(1)
    @Max(10_000)
    public int getMaxRequests() {
        return maxRequests;
    }

    @Config("retrieval.max-requests")
    @ConfigDescription(
            "Requests in flight that are never exceeded; below, and beyond 32 MiB in flight, the fitted model of the store decides")
    public RetrievalConfig setMaxRequests(int maxRequests) {
        this.maxRequests = maxRequests;
        return this;
    }

    @AssertTrue(message = "retrieval.min-requests must be at most retrieval.max-requests")
    public boolean isRequestsValid() {
        return minRequests <= maxRequests;
    }

    @MinDataSize("16MB")
    public DataSize getMaxBytesInFlight() {
        return maxBytesInFlight;
    }

    @Config("retrieval.max-bytes-in-flight")
    @ConfigDescription("Bytes of requests in flight together")
    public RetrievalConfig setMaxBytesInFlight(DataSize maxBytesInFlight) {
        this.maxBytesInFlight = maxBytesInFlight;
        return this;
    }

    @NotNull
    public DataSize getBandwidthLimit() {
        return bandwidthLimit;
    }

    @Config("retrieval.bandwidth-limit")
    @ConfigDescription(
            "Bytes a second that are not exceeded, and that the number of requests aims at; 0: no limit")
    public RetrievalConfig setBandwidthLimit(DataSize bandwidthLimit) {
        this.bandwidthLimit = bandwidthLimit;
        return this;
    }

    @DecimalMin("0.0")
    @DecimalMax("1.0")
    public double getHedgeBudget() {
        return hedgeBudget;
    }

    @Config("retrieval.hedge-budget")
    @ConfigDescription(
            "Share of the bytes that second requests for what is late may cost; 0: there are none")
    public RetrievalConfig setHedgeBudget(double hedgeBudget) {
        this.hedgeBudget = hedgeBudget;
        return this;
    }

    @NotNull
    public DataSize getBufferSize() {
        return bufferSize;
    }

    @Config("retrieval.buffer-size")
    @ConfigDescription(
            "Memory outside of the heap by way of which large ranges come to it, reused by the next ones; 0: none")
    public RetrievalConfig setBufferSize(DataSize bufferSize) {
        this.bufferSize = bufferSize;
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getMaxAhead() {
        return maxAhead;
    }

    @Config("retrieval.max-ahead")
    @ConfigDescription(
            "Bytes that scans and merges together have fetched ahead; below, the rates of fetching and processing decide")
    public RetrievalConfig setMaxAhead(DataSize maxAhead) {
        this.maxAhead = maxAhead;
        return this;
    }

    /** The options of a download manager that follow from this configuration. */
    public RetrievalOptions options(RetryPolicy retries) {
        return new RetrievalOptions(
                minRequests,
                maxRequests,
                maxBytesInFlight.toBytes(),
                bandwidthLimit.toBytes() == 0
                        ? OptionalLong.empty()
                        : OptionalLong.of(bandwidthLimit.toBytes()),
                hedgeBudget,
                RetrievalOptions.DEFAULT.hedgeBufferBytes(),
                bufferSize.toBytes(),
                RangePlanner.DEFAULT,
                RetrievalOptions.DEFAULT_GAP,
                retries);
    }
}
