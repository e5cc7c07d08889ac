package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.inject.Inject;
import io.stele.scheduler.GroupStatus;
import io.stele.scheduler.PoolLoad;
import io.stele.scheduler.PoolStatus;
import io.stele.storage.engine.ThreadsStatus;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/** The scheduler of execution contexts and the pools beside it; 0 while there is no engine. */
public final class SchedulerMetrics {
    // A scrape reads every gauge: one look at the scheduler serves them all.
    private static final long CACHE_MILLIS = 500;

    private final Supplier<Optional<ThreadsStatus>> status;
    private final GroupMetrics dataBound = group("data-bound");
    private final PoolMetrics background = pool(ThreadsStatus::background);
    private final PoolMetrics flushing = pool(ThreadsStatus::flushing);
    private final PoolMetrics merging = pool(ThreadsStatus::merging);
    private final PoolMetrics lookups = pool(ThreadsStatus::lookups);

    @Inject
    public SchedulerMetrics(EngineService service) {
        requireNonNull(service, "service is null");
        this.status =
                Suppliers.memoizeWithExpiration(
                        service::threadsStatus, CACHE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private GroupMetrics group(String name) {
        return new GroupMetrics(
                () ->
                        status().stream()
                                .flatMap(present -> present.contexts().groups().stream())
                                .filter(group -> group.name().equals(name))
                                .findFirst());
    }

    private PoolMetrics pool(Function<ThreadsStatus, PoolLoad> load) {
        return new PoolMetrics(() -> status().map(load));
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
    public long getSwitches() {
        return gauge(PoolStatus::switches);
    }

    @Managed(
            description =
                    "Turns of more than twice the quantum: a task did not yield, or waited for something")
    public long getOverruns() {
        return gauge(PoolStatus::overruns);
    }

    @Managed(description = "Contexts that an idle worker was given by a busy one")
    public long getSteals() {
        return gauge(PoolStatus::steals);
    }

    @Managed(description = "Contexts that were moved to even out the load of the workers")
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

    @Managed(description = "Short tasks that may wait: manifests, decisions, writes after a wait")
    @Nested
    public PoolMetrics getBackground() {
        return background;
    }

    @Managed(description = "Flushes")
    @Nested
    public PoolMetrics getFlushing() {
        return flushing;
    }

    @Managed(description = "Compactions")
    @Nested
    public PoolMetrics getMerging() {
        return merging;
    }

    @Managed(description = "Reads of files that writes wait for")
    @Nested
    public PoolMetrics getLookups() {
        return lookups;
    }
}
