package io.stele.sidecar.engine;

import static io.airlift.units.DataSize.Unit.MEGABYTE;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MinDataSize;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import java.io.File;
import java.util.Optional;

/** Settings of the sidecar's aggregate cache: its limits in memory and on disk, and its folder. */
public class AggregateCacheConfig {
    private boolean enabled = true;
    private DataSize maxMemorySize = DataSize.of(64, MEGABYTE);
    private DataSize maxResultSize = DataSize.of(1, MEGABYTE);
    private Optional<File> directory = Optional.empty();
    private DataSize maxDiskSize = DataSize.of(256, MEGABYTE);
    private double verifyShare;

    public boolean isEnabled() {
        return enabled;
    }

    @Config("stele.fragment-cache.enabled")
    @ConfigDescription("Whether results of aggregations in single files are cached")
    public AggregateCacheConfig setEnabled(boolean enabled) {
        this.enabled = enabled;
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getMaxMemorySize() {
        return maxMemorySize;
    }

    @Config("stele.fragment-cache.max-memory-size")
    @ConfigDescription("Memory for results of aggregations in single files")
    public AggregateCacheConfig setMaxMemorySize(DataSize maxMemorySize) {
        this.maxMemorySize = maxMemorySize;
        return this;
    }

    public Optional<File> getDirectory() {
        return directory;
    }

    @Config("stele.fragment-cache.directory")
    @ConfigDescription(
            "Local folder where results are cached over a restart; default: they are cached in memory only")
    public AggregateCacheConfig setDirectory(File directory) {
        this.directory = Optional.ofNullable(directory);
        return this;
    }

    @MinDataSize("1MB")
    public DataSize getMaxDiskSize() {
        return maxDiskSize;
    }

    @Config("stele.fragment-cache.max-disk-size")
    @ConfigDescription("What the folder may take")
    public AggregateCacheConfig setMaxDiskSize(DataSize maxDiskSize) {
        this.maxDiskSize = maxDiskSize;
        return this;
    }

    @MinDataSize("1kB")
    @MaxDataSize("64MB")
    public DataSize getMaxResultSize() {
        return maxResultSize;
    }

    @Config("stele.fragment-cache.max-result-size")
    @ConfigDescription("Results larger than this are not cached")
    public AggregateCacheConfig setMaxResultSize(DataSize maxResultSize) {
        this.maxResultSize = maxResultSize;
        return this;
    }

    @DecimalMin("0.0")
    @DecimalMax("1.0")
    public double getVerifyShare() {
        return verifyShare;
    }

    @Config("stele.fragment-cache.verify-share")
    @ConfigDescription(
            "Share of the results found in the cache that are computed again and compared, 0 to 1")
    public AggregateCacheConfig setVerifyShare(double verifyShare) {
        this.verifyShare = verifyShare;
        return this;
    }
}
