package io.stele.connector.config;

import static io.airlift.units.DataSize.Unit.GIGABYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.configuration.LegacyConfig;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDataSize;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one catalog: where the sidecar is, how to authenticate, and how large reads and
 * writes are cut.
 *
 * <p>Not final: airlift subclasses it to test its defaults.
 */
public class SteleConfig {
    private @Nullable URI sidecarUri;
    private @Nullable String sharedSecret;
    private Optional<String> warehousePath = Optional.empty();
    private Optional<String> trustCertificatePath = Optional.empty();
    private Duration requestTimeout = new Duration(30, SECONDS);
    private Duration changeTimeout = new Duration(4, HOURS);
    private Duration outageTimeout = new Duration(30, SECONDS);
    private Duration transactionTtl = new Duration(5, MINUTES);
    private Duration snapshotTtl = new Duration(60, SECONDS);
    // 32 MiB: about one stripe, so that one lineitem of scale factor 1 already fills a few drivers
    private DataSize maxSplitSize = DataSize.of(32, MEGABYTE);
    // 1 GiB: some seconds of a worker's work
    private DataSize spillThreshold = DataSize.of(1, GIGABYTE);
    private DataSize tailCacheSize = DataSize.of(64, MEGABYTE);
    private DataSize columnCacheSize = DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 10);
    // 16 MiB: below this the log is cheaper than a file with its index and manifest entry
    private DataSize directWriteThreshold = DataSize.of(16, MEGABYTE);
    private boolean warmOnWrite;
    private boolean aggregationPushdownEnabled = true;
    private DataSize sortBufferSize = DataSize.of(128, MEGABYTE);
    private DataSize maxOpenSize = DataSize.of(256, MEGABYTE);

    @NotNull
    public @Nullable URI getSidecarUri() {
        return sidecarUri;
    }

    @Config("stele.sidecar.uri")
    @ConfigDescription("HTTP address of the sidecar, such as http://host:8090")
    public SteleConfig setSidecarUri(URI sidecarUri) {
        this.sidecarUri = sidecarUri;
        return this;
    }

    @AssertTrue(message = "stele.sidecar.uri must be http://host:port or https://host:port")
    public boolean isSidecarUriValid() {
        return sidecarUri == null
                || (("http".equals(sidecarUri.getScheme())
                                || "https".equals(sidecarUri.getScheme()))
                        && sidecarUri.getHost() != null
                        && sidecarUri.getPort() > 0);
    }

    @NotNull
    public @Nullable String getSharedSecret() {
        return sharedSecret;
    }

    @Config("stele.shared-secret")
    @ConfigSecuritySensitive
    @ConfigDescription("The secret that the sidecar's stele.shared-secret holds")
    public SteleConfig setSharedSecret(String sharedSecret) {
        this.sharedSecret = sharedSecret;
        return this;
    }

    public Optional<String> getWarehousePath() {
        return warehousePath;
    }

    @Config("stele.warehouse.path")
    @ConfigDescription(
            "The warehouse as this host reaches it, a folder, s3://bucket/prefix or hdfs://host:port/path; default: the one that the sidecar reports")
    public SteleConfig setWarehousePath(@Nullable String warehousePath) {
        this.warehousePath = Optional.ofNullable(warehousePath);
        return this;
    }

    public Optional<String> getTrustCertificatePath() {
        return trustCertificatePath;
    }

    @Config("stele.tls.trust-certificate-path")
    @ConfigDescription(
            "PEM certificates to trust when the sidecar speaks TLS; default: those of the JVM")
    public SteleConfig setTrustCertificatePath(@Nullable String trustCertificatePath) {
        this.trustCertificatePath = Optional.ofNullable(trustCertificatePath);
        return this;
    }

    @MinDuration("1s")
    public Duration getRequestTimeout() {
        return requestTimeout;
    }

    @Config("stele.request-timeout")
    @ConfigDescription("How long one request to the sidecar may take")
    public SteleConfig setRequestTimeout(Duration requestTimeout) {
        this.requestTimeout = requestTimeout;
        return this;
    }

    // At most 5 hours: a sidecar stores outcomes for six.
    @MinDuration("1s")
    @MaxDuration("5h")
    public Duration getChangeTimeout() {
        return changeTimeout;
    }

    @Config("stele.change-timeout")
    @ConfigDescription(
            "How long a statement waits for the outcome of a change: a commit, DDL, a flush or a compaction")
    public SteleConfig setChangeTimeout(Duration changeTimeout) {
        this.changeTimeout = changeTimeout;
        return this;
    }

    @MinDuration("0s")
    public Duration getOutageTimeout() {
        return outageTimeout;
    }

    @Config("stele.outage-timeout")
    @ConfigDescription("How long requests wait for a sidecar that cannot be reached")
    public SteleConfig setOutageTimeout(Duration outageTimeout) {
        this.outageTimeout = outageTimeout;
        return this;
    }

    @MinDuration("5s")
    public Duration getSnapshotTtl() {
        return snapshotTtl;
    }

    @Config("stele.snapshot.ttl")
    @LegacyConfig("stele.read-point.ttl")
    @ConfigDescription("How long a snapshot outlives a coordinator that no longer renews it")
    public SteleConfig setSnapshotTtl(Duration snapshotTtl) {
        this.snapshotTtl = snapshotTtl;
        return this;
    }

    @MinDuration("5s")
    @MaxDuration("1h")
    public Duration getTransactionTtl() {
        return transactionTtl;
    }

    @Config("stele.transaction.ttl")
    @ConfigDescription("How long a write outlives a coordinator that no longer renews it")
    public SteleConfig setTransactionTtl(Duration transactionTtl) {
        this.transactionTtl = transactionTtl;
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getMaxSplitSize() {
        return maxSplitSize;
    }

    @Config("stele.scan.max-split-size")
    @ConfigDescription("Files are cut into splits of at most about this size, at stripe boundaries")
    public SteleConfig setMaxSplitSize(DataSize maxSplitSize) {
        this.maxSplitSize = maxSplitSize;
        return this;
    }

    @MinDataSize("0B")
    public DataSize getSpillThreshold() {
        return spillThreshold;
    }

    @Config("stele.scan.spill-threshold")
    @ConfigDescription(
            "Bytes by which the queue of a worker is longer than that of the next one, which then reads a part of its files")
    public SteleConfig setSpillThreshold(DataSize spillThreshold) {
        this.spillThreshold = spillThreshold;
        return this;
    }

    @MinDataSize("0B")
    public DataSize getTailCacheSize() {
        return tailCacheSize;
    }

    @Config("stele.scan.tail-cache-size")
    @ConfigDescription(
            "Memory for footers and row indexes of files that were read or written before")
    public SteleConfig setTailCacheSize(DataSize tailCacheSize) {
        this.tailCacheSize = tailCacheSize;
        return this;
    }

    @MinDataSize("0B")
    public DataSize getColumnCacheSize() {
        return columnCacheSize;
    }

    @Config("stele.scan.column-cache-size")
    @ConfigDescription(
            "Memory for decoded columns that were scanned more than once; default: a tenth of the heap")
    public SteleConfig setColumnCacheSize(DataSize columnCacheSize) {
        this.columnCacheSize = columnCacheSize;
        return this;
    }

    public boolean isAggregationPushdownEnabled() {
        return aggregationPushdownEnabled;
    }

    @Config("stele.aggregation-pushdown.enabled")
    @ConfigDescription(
            "Whether sidecars aggregate where all conditions are exact and few groups come out; the default of the session property aggregation_pushdown_enabled")
    public SteleConfig setAggregationPushdownEnabled(boolean aggregationPushdownEnabled) {
        this.aggregationPushdownEnabled = aggregationPushdownEnabled;
        return this;
    }

    @MinDataSize("0B")
    @MaxDataSize("64MB")
    public DataSize getDirectWriteThreshold() {
        return directWriteThreshold;
    }

    @Config("stele.write.direct-threshold")
    @ConfigDescription(
            "A writer with more data than this writes files into the warehouse instead of rows into the log")
    public SteleConfig setDirectWriteThreshold(DataSize directWriteThreshold) {
        this.directWriteThreshold = directWriteThreshold;
        return this;
    }

    public boolean isWarmOnWrite() {
        return warmOnWrite;
    }

    @Config("stele.cache.warm-on-write")
    @ConfigDescription(
            "Whether files that this node writes enter its data page cache as they are written")
    public SteleConfig setWarmOnWrite(boolean warmOnWrite) {
        this.warmOnWrite = warmOnWrite;
        return this;
    }

    @MinDataSize("1MB")
    @MaxDataSize("1GB")
    public DataSize getSortBufferSize() {
        return sortBufferSize;
    }

    @Config("stele.write.sort-buffer-size")
    @ConfigDescription(
            "Rows that one writer sorts at a time for tables with a primary or clustering key; one sorted file each")
    public SteleConfig setSortBufferSize(DataSize sortBufferSize) {
        this.sortBufferSize = sortBufferSize;
        return this;
    }

    @MinDataSize("1MB")
    @MaxDataSize("16GB")
    public DataSize getMaxOpenSize() {
        return maxOpenSize;
    }

    @Config("stele.write.max-open-size")
    @ConfigDescription(
            "Memory of the files, one a shard, that one writer has open for tables without a primary, clustering or partition key; with less of it stripes and files are smaller")
    public SteleConfig setMaxOpenSize(DataSize maxOpenSize) {
        this.maxOpenSize = maxOpenSize;
        return this;
    }
}
