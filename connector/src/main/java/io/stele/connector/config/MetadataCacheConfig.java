package io.stele.connector.config;

import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDataSize;
import jakarta.validation.constraints.NotNull;

/**
 * Configuration of the coordinator's cache of the metadata of tables and views. Not thread-safe;
 * read at start-up.
 */
public class MetadataCacheConfig {
    private boolean enabled = true;
    private boolean pushEnabled = true;
    // 32 MB: about 5,000 tables of 16 columns
    private DataSize maxSize = DataSize.of(32, MEGABYTE);
    private Duration maxStaleness = new Duration(0, SECONDS);

    public boolean isEnabled() {
        return enabled;
    }

    @Config("stele.metadata-cache.enabled")
    @ConfigDescription(
            "Whether the coordinator keeps definitions and statistics of tables and views between queries")
    public MetadataCacheConfig setEnabled(boolean enabled) {
        this.enabled = enabled;
        return this;
    }

    public boolean isPushEnabled() {
        return pushEnabled;
    }

    @Config("stele.metadata-cache.push-enabled")
    @ConfigDescription(
            "Whether the sidecar tells the coordinator of changes as they happen, so that queries find them loaded")
    public MetadataCacheConfig setPushEnabled(boolean pushEnabled) {
        this.pushEnabled = pushEnabled;
        return this;
    }

    @NotNull
    @MinDataSize("0B")
    public DataSize getMaxSize() {
        return maxSize;
    }

    @Config("stele.metadata-cache.max-size")
    @ConfigDescription("Memory for definitions and statistics of tables and views")
    public MetadataCacheConfig setMaxSize(DataSize maxSize) {
        this.maxSize = maxSize;
        return this;
    }

    @NotNull
    @MaxDuration("1h")
    public Duration getMaxStaleness() {
        return maxStaleness;
    }

    @Config("stele.metadata-cache.max-staleness")
    @ConfigDescription(
            "How old what statements without a snapshot are told of tables and views may be, such as SHOW TABLES; 0s: they ask for changes")
    public MetadataCacheConfig setMaxStaleness(Duration maxStaleness) {
        this.maxStaleness = maxStaleness;
        return this;
    }
}
