package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.inject.Inject;
import io.stele.engine.node.ThreadsStatus;
import io.stele.objectstore.metrics.Cumulative;
import io.stele.scheduler.GroupStatus;
import io.stele.scheduler.PoolLoad;
import io.stele.scheduler.PoolStatus;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/**
 * Gauges, for JMX, of the scheduler of execution contexts and of the blocking pools; 0 while there
 * is no engine.
 */
public final class SchedulerMetrics {
    // A scrape reads every gauge: one snapshot of the scheduler serves them all.
    private static final long CACHE_MILLIS = 500;

    private final Supplier<Optional<ThreadsStatus>> status;
    private final GroupMetrics dataBound = group("data-bound");

    @Inject
    public SchedulerMetrics(EngineService service, MBeanExporter exporter) {
        requireNonNull(service, "service is null");
        this.status =
                Suppliers.memoizeWithExpiration(
                        service::threadsStatus, CACHE_MILLIS, TimeUnit.MILLISECONDS);
        export(exporter, "background", ThreadsStatus::background);
        export(exporter, "catalog", ThreadsStatus::catalog);
        export(exporter, "deciding", ThreadsStatus::deciding);
        export(exporter, "deleting", ThreadsStatus::deleting);
        export(exporter, "flushing", ThreadsStatus::flushing);
        export(exporter, "merging", ThreadsStatus::merging);
        export(exporter, "loading", ThreadsStatus::loading);
        export(exporter, "lookups", ThreadsStatus::lookups);
    }

    private GroupMetrics group(String name) {
        return new GroupMetrics(
                () ->
                        status().stream()
                                .flatMap(present -> present.contexts().groups().stream())
                                .filter(group -> group.name().equals(name))
                                .findFirst());
    }

    private void export(
            MBeanExporter exporter, String pool, Function<ThreadsStatus, PoolLoad> load) {
        exporter.export("stele:name=pool,pool=" + pool, new PoolMetrics(() -> status().map(load)));
    }

    private Optional<ThreadsStatus> status() {
        return status.get();
    }

    private long gauge(ToLongFunction<PoolStatus> value) {
        return status().map(present -> value.applyAsLong(present.contexts())).orElse(0L);
    }

    @Managed(description = "Threads that run execution contexts")
    public long getWorkers() {
        return gauge(PoolStatus::workers);
    }

    @Managed(description = "Of these, the ones that wait for work now")
    public long getIdleWorkers() {
        return gauge(PoolStatus::idleWorkers);
    }

    @Managed(description = "Turns of contexts, of all groups")
    @Cumulative
    public long getSwitches() {
        return gauge(PoolStatus::switches);
    }

    @Managed(
            description =
                    "Turns of more than twice the quantum: a task did not yield, or waited for something")
    @Cumulative
    public long getOverruns() {
        return gauge(PoolStatus::overruns);
    }

    @Managed(description = "Contexts that an idle worker was given by a busy one")
    @Cumulative
    public long getSteals() {
        return gauge(PoolStatus::steals);
    }

    @Managed(description = "Contexts that were moved to even out the load of the workers")
    @Cumulative
    public long getMigrations() {
        return gauge(PoolStatus::migrations);
    }

    @Managed(description = "Contexts of all groups that wait for a worker now")
    public long getWaitingContexts() {
        return gauge(pool -> pool.groups().stream().mapToLong(GroupStatus::waitingContexts).sum());
    }

    @Managed(description = "The group of the shards: writes are applied there")
    @Nested
    public GroupMetrics getDataBound() {
        return dataBound;
    }
}
