package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.metrics.Cumulative;
import io.stele.scheduler.PoolLoad;
import java.util.Optional;
import java.util.function.Supplier;
import org.weakref.jmx.Managed;

/** Gauges of one pool of tasks that may block, for JMX; 0 while there is none. Thread safe. */
public final class PoolMetrics {
    private final Supplier<Optional<PoolLoad>> load;

    PoolMetrics(Supplier<Optional<PoolLoad>> load) {
        this.load = requireNonNull(load, "load is null");
    }

    @Managed(description = "Tasks that have a thread now")
    public long getRunning() {
        return load.get().map(present -> (long) present.running()).orElse(0L);
    }

    @Managed(description = "Tasks that wait for a thread")
    public long getWaiting() {
        return load.get().map(present -> (long) present.waiting()).orElse(0L);
    }

    @Managed(description = "Tasks that have ended")
    @Cumulative
    public long getFinished() {
        return load.get().map(PoolLoad::finished).orElse(0L);
    }
}
