package io.stele.connector.config;

import static io.airlift.units.DataSize.Unit.MEGABYTE;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.MaxDataSize;
import io.airlift.units.MinDataSize;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.NotNull;

/**
 * Configuration of a worker's filtered-rows cache, which holds the rows of file parts that pass a
 * filter. Not thread-safe; read at start-up.
 */
public class FilteredRowsCacheConfig {
    private boolean enabled = true;
    private DataSize maxMemorySize = DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 50);
    private DataSize maxResultSize = DataSize.of(1, MEGABYTE);
    private double verifyShare;

    public boolean isEnabled() {
        return enabled;
    }

    @Config("stele.fragment-cache.enabled")
    @ConfigDescription("Whether rows that filters leave of parts of files are cached")
    public FilteredRowsCacheConfig setEnabled(boolean enabled) {
        this.enabled = enabled;
        return this;
    }

    @NotNull
    @MinDataSize("1MB")
    public DataSize getMaxMemorySize() {
        return maxMemorySize;
    }

    @Config("stele.fragment-cache.max-memory-size")
    @ConfigDescription(
            "Memory for rows that filters leave of parts of files; default: a fiftieth of the heap")
    public FilteredRowsCacheConfig setMaxMemorySize(DataSize maxMemorySize) {
        this.maxMemorySize = maxMemorySize;
        return this;
    }

    @NotNull
    @MinDataSize("1kB")
    @MaxDataSize("64MB")
    public DataSize getMaxResultSize() {
        return maxResultSize;
    }

    @Config("stele.fragment-cache.max-result-size")
    @ConfigDescription("What a filter leaves more than this of a part of a file is not cached")
    public FilteredRowsCacheConfig setMaxResultSize(DataSize maxResultSize) {
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
            "Share of what is found in the cache that is read again and compared, 0 to 1")
    public FilteredRowsCacheConfig setVerifyShare(double verifyShare) {
        this.verifyShare = verifyShare;
        return this;
    }
}
