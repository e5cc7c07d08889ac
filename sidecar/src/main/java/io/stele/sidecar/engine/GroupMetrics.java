package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.metrics.Cumulative;
import io.stele.scheduler.GroupStatus;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;

/** Gauges of one scheduling group for JMX; 0 while there is none. Thread safe. */
public final class GroupMetrics {
    private final Supplier<Optional<GroupStatus>> status;

    GroupMetrics(Supplier<Optional<GroupStatus>> status) {
        this.status = requireNonNull(status, "status is null");
    }

    private long gauge(ToLongFunction<GroupStatus> value) {
        return status.get().map(present -> value.applyAsLong(present)).orElse(0L);
    }

    @Managed(description = "Its claim to processor time beside those of other groups")
    public long getShares() {
        return gauge(GroupStatus::shares);
    }

    @Managed(description = "Contexts that a worker runs now")
    public long getRunningContexts() {
        return gauge(GroupStatus::runningContexts);
    }

    @Managed(description = "Contexts that are runnable and wait for a worker")
    public long getWaitingContexts() {
        return gauge(GroupStatus::waitingContexts);
    }

    @Managed(description = "Nanoseconds of processor time used")
    @Cumulative
    public long getCpuNanos() {
        return gauge(GroupStatus::cpuNanos);
    }

    @Managed(
            description =
                    "Nanoseconds that its shares came to while it had something to do; what it used may be less because it had little to do")
    @Cumulative
    public long getEntitledNanos() {
        return gauge(GroupStatus::entitledNanos);
    }

    @Managed(description = "Turns of its contexts")
    @Cumulative
    public long getSwitches() {
        return gauge(GroupStatus::switches);
    }

    @Managed(description = "Turns of more than twice the quantum")
    @Cumulative
    public long getOverruns() {
        return gauge(GroupStatus::overruns);
    }
}
