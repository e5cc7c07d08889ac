package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.metrics.Cumulative;
import io.stele.protocol.api.status.SchedulingGroupStatus;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;

/**
 * Gauges, for JMX, of one scheduling group or pool in {@link EngineService#schedulingGroups}; 0
 * while there is none. Thread safe.
 */
public final class SchedulingGroupMetrics {
    private final Supplier<Optional<SchedulingGroupStatus>> status;

    SchedulingGroupMetrics(Supplier<Optional<SchedulingGroupStatus>> status) {
        this.status = requireNonNull(status, "status is null");
    }

    private long gauge(ToLongFunction<SchedulingGroupStatus> value) {
        return status.get().map(present -> value.applyAsLong(present)).orElse(0L);
    }

    private double share(ToDoubleFunction<SchedulingGroupStatus> value) {
        return status.get().map(present -> value.applyAsDouble(present)).orElse(0.0);
    }

    @Managed(description = "Its claim to processor time beside those of other groups")
    public long getShares() {
        return gauge(SchedulingGroupStatus::shares);
    }

    @Managed(
            description =
                    "Part of the processor time of all groups in 10 s that its shares came to")
    public double getEntitledShare() {
        return share(SchedulingGroupStatus::entitledShare);
    }

    @Managed(description = "Part of the processor time of all groups in 10 s that it used")
    public double getCpuShare() {
        return share(SchedulingGroupStatus::cpuShare);
    }

    @Managed(description = "Contexts that have something to do")
    public long getRunnable() {
        return gauge(SchedulingGroupStatus::runnable);
    }

    @Managed(description = "Contexts that wait for a worker, or tasks that wait for a thread")
    public long getWaiting() {
        return gauge(SchedulingGroupStatus::waiting);
    }

    @Managed(description = "Scans or lookups that were let in, or tasks that have a thread")
    public long getRunning() {
        return gauge(SchedulingGroupStatus::running);
    }

    @Managed(description = "Scans that wait to be let in")
    public long getQueued() {
        return gauge(SchedulingGroupStatus::queued);
    }

    @Managed(description = "Turns of its contexts, or tasks that have ended")
    @Cumulative
    public long getSwitches() {
        return gauge(SchedulingGroupStatus::switches);
    }

    @Managed(description = "Turns of more than twice the quantum")
    @Cumulative
    public long getQuantumOverruns() {
        return gauge(SchedulingGroupStatus::quantumOverruns);
    }

    @Managed(description = "Contexts that an idle worker was given by a busy one")
    @Cumulative
    public long getSteals() {
        return gauge(SchedulingGroupStatus::steals);
    }

    @Managed(description = "Reads that were told BUSY")
    @Cumulative
    public long getRejected() {
        return gauge(SchedulingGroupStatus::rejected);
    }
}
