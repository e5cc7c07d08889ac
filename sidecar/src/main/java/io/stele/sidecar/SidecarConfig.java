package io.stele.sidecar;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.Duration;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDuration;
import java.io.File;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Settings of the process as a whole: its ports file and the time for its shutdown. */
public class SidecarConfig {
    private @Nullable File portsFile;
    private Duration shutdownTimeout = new Duration(10, TimeUnit.SECONDS);

    public Optional<File> getPortsFile() {
        return Optional.ofNullable(portsFile);
    }

    @Config("stele.ports-file")
    @ConfigDescription("File that is created with the ports in use once the sidecar serves")
    public SidecarConfig setPortsFile(@Nullable File portsFile) {
        this.portsFile = portsFile;
        return this;
    }

    @MinDuration("0s")
    @MaxDuration("10m")
    public Duration getShutdownTimeout() {
        return shutdownTimeout;
    }

    @Config("stele.shutdown-timeout")
    @ConfigDescription("How long a server waits at shutdown for the requests it has accepted")
    public SidecarConfig setShutdownTimeout(Duration shutdownTimeout) {
        this.shutdownTimeout = shutdownTimeout;
        return this;
    }
}
