package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.airlift.log.Logger;
import io.stele.engine.read.ResumableRead;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.scheduler.BlockingPool;
import io.stele.scheduler.ContextPool;
import io.stele.scheduler.PoolLoad;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * The scheduler of a sidecar's scans and lookups: each read runs in its scheduling group, on the
 * threads that also apply writes. The read's identity selects the group. Waits for the store are in
 * a separate pool. Thread-safe.
 */
public final class QueryScheduler implements AutoCloseable {
    private static final Logger log = Logger.get(QueryScheduler.class);

    /** The most waiting reads of the store; a further read is refused as BUSY. */
    private static final int MAX_WAITING_READS = 10_000;

    /** About the time of a read of the store, which BUSY suggests as the retry delay. */
    private static final long BUSY_STORE_MILLIS = 50;

    private final GroupSpecs specs;
    private final ContextPool pool;
    private final Map<String, QueryGroup> groups;
    private final BlockingPool reads;
    private final LongSupplier nanoTime;
    private final SharedResults sharedResults = new SharedResults();

    /**
     * @param pool runs the contexts of all groups; closed by its owner
     * @param readThreads the most reads of the store at once
     */
    public QueryScheduler(
            SchedulerConfig config, ContextPool pool, int readThreads, LongSupplier nanoTime) {
        this.specs =
                config.getGroupsFile()
                        .map(file -> GroupSpecReader.read(file.toPath()))
                        .orElse(GroupSpecs.DEFAULT);
        this.pool = requireNonNull(pool, "pool is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        ImmutableMap.Builder<String, QueryGroup> made = ImmutableMap.builder();
        for (GroupSpec spec : specs.groups()) {
            made.put(spec.name(), new QueryGroup(spec, pool, nanoTime));
        }
        this.groups = made.buildOrThrow();
        this.reads =
                new BlockingPool(
                        readThreads,
                        MAX_WAITING_READS,
                        Thread.ofVirtual().name("store-read-", 0).factory(),
                        failure -> log.error(failure, "A read of the store failed"));
    }

    /** The group of a read. */
    public QueryGroup group(QueryIdentity identity) {
        return requireNonNull(
                groups.get(specs.select(identity)), "selectors name groups that are there");
    }

    /** The groups, in the order of their configuration. */
    public Collection<QueryGroup> groups() {
        return groups.values();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** The number of threads of contexts, which limits the parallel parts of one read. */
    public int workers() {
        return pool.status().workers();
    }

    /** The results that reads of this sidecar compute for each other. */
    public SharedResults sharedResults() {
        return sharedResults;
    }

    /** The present load of reads of the store, and their count. */
    public PoolLoad reads() {
        return reads.load();
    }

    /**
     * Returns the executor of tasks that must wait for the store; it throws BUSY when it refuses a
     * task.
     *
     * @see BlockingPool
     */
    public Executor storeReads() {
        return task -> {
            try {
                reads.execute(task);
            } catch (RejectedExecutionException full) {
                throw SteleException.busy(
                        "Too many reads wait for the store (%s); retry after %d ms"
                                .formatted(full.getMessage(), BUSY_STORE_MILLIS),
                        BUSY_STORE_MILLIS);
            }
        };
    }

    /**
     * Looks keys up, or reads some rows by key, with the priority of lookups.
     *
     * @param mayRunHere whether the caller's thread may start it, if the scheduler agrees ({@link
     *     ContextPool#tryRunHere}): this saves two changes of thread
     * @return completes on the thread that found the last row, which must not be blocked
     * @throws SteleException BUSY, with the time after which to try again
     */
    public <T> CompletableFuture<T> lookUp(
            QueryGroup group, ResumableRead<T> lookup, boolean mayRunHere) {
        LookupTask<T> task =
                new LookupTask<>(
                        lookup, group.enterLookup(), group.lookupContext("lookup"), storeReads());
        if (mayRunHere) {
            pool.tryRunHere(group.lookups(), task::advanceHere);
        }
        if (!task.result().isDone()) {
            task.start();
        }
        return task.result();
    }

    /** Ends the reads of the store; call it when no more are requested. */
    @Override
    public void close() {
        reads.close();
    }
}
