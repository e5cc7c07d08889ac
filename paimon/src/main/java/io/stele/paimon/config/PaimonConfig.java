package io.stele.paimon.config;

import io.airlift.configuration.Config;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import java.util.concurrent.TimeUnit;

public final class PaimonConfig {
    private String warehouse = "";

    public String getWarehouse() {
        return warehouse;
    }

    @Config("stele.paimon.warehouse")
    public PaimonConfig setWarehouse(String warehouse) {
        this.warehouse = warehouse;
        return this;
    }

    private Duration stale = new Duration(200, TimeUnit.MILLISECONDS);

    public Duration getSnapshotMaxStaleness() {
        return stale;
    }

    @Config("stele.paimon.snapshot.max-staleness")
    public PaimonConfig setSnapshotMaxStaleness(Duration value) {
        stale = value;
        return this;
    }

    public DataSize getMaxSplitSize() {
        return DataSize.of(64, DataSize.Unit.MEGABYTE);
    }

    public Duration getDynamicFilterWaitTimeout() {
        return new Duration(1, TimeUnit.SECONDS);
    }

    public boolean isFileSystemMetastore() {
        return true;
    }

    public Duration getSnapshotCheckInterval() {
        return new Duration(200, TimeUnit.MILLISECONDS);
    }
}
