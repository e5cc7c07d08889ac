package io.stele.engine.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.garbage.FileCollector;
import io.stele.engine.node.EngineClock;
import io.stele.engine.node.EngineLog;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.Shards;
import io.stele.engine.recovery.RetainedLog;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.transaction.CommittedTransactions;
import io.stele.engine.transaction.DecisionCollector;
import io.stele.engine.transaction.Retries;
import io.stele.engine.transaction.Transactions;
import io.stele.engine.wal.LogSpace;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The timer-driven maintenance of an engine: it expires leases and transactions, starts flushes and
 * compactions, trims the log, and collects obsolete files. Its methods run on the periodic thread
 * and hand over long tasks to the pools of the engine.
 */
public final class PeriodicMaintenance implements AutoCloseable {
    private static final long TICK_MILLIS =
            500; // ages are in seconds, and a retry after a store fault need not be faster
    private static final long POKE_MILLIS = 20; // the longest extra wait of a delayed write

    private static final long MAX_SETTLE_PAUSE_MILLIS = 10_000;

    private final EngineThreads threads;
    private final EngineClock clock;
    private final Shards shards;
    private final EngineLog log;
    private final RetainedLog retainedLog;
    private final SnapshotRegistry snapshots;
    private final FileCollector collector;
    private final Transactions transactions;
    private final Retries retries;
    private final DecisionCollector decisionCollector;
    private final CommittedTransactions committed;
    private final IndexBuilds indexBuilds;
    private final ReplacedTableCollector replacedTables;
    private final CatalogService catalog;
    private final AutoCloseable ticks;
    private final AutoCloseable pokes;
    private final AtomicBoolean isRunning = new AtomicBoolean();
    private final AtomicBoolean isSettling = new AtomicBoolean();
    private final AtomicBoolean isDropping = new AtomicBoolean();
    private volatile long settleAtMillis; // earliest next attempt
    private volatile long settlePauseMillis = TICK_MILLIS;
    private boolean wasLogShort; // only on the periodic thread
    private volatile boolean closed;

    public PeriodicMaintenance(
            EngineThreads threads,
            EngineClock clock,
            Shards shards,
            EngineLog log,
            RetainedLog retainedLog,
            SnapshotRegistry snapshots,
            FileCollector collector,
            Transactions transactions,
            Retries retries,
            DecisionCollector decisionCollector,
            CommittedTransactions committed,
            IndexBuilds indexBuilds,
            ReplacedTableCollector replacedTables,
            CatalogService catalog) {
        this.threads = requireNonNull(threads, "threads is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.log = requireNonNull(log, "log is null");
        this.retainedLog = requireNonNull(retainedLog, "retainedLog is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.collector = requireNonNull(collector, "collector is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.retries = requireNonNull(retries, "retries is null");
        this.decisionCollector = requireNonNull(decisionCollector, "decisionCollector is null");
        this.committed = requireNonNull(committed, "committed is null");
        this.indexBuilds = requireNonNull(indexBuilds, "indexBuilds is null");
        this.replacedTables = requireNonNull(replacedTables, "replacedTables is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.ticks = threads.periodic().every(TICK_MILLIS, this::tick);
        this.pokes = threads.periodic().every(POKE_MILLIS, this::pokeGates);
    }

    private void pokeGates() {
        if (!closed) {
            shards.all().forEach(entry -> entry.shard().pokeGate());
        }
    }

    private void tick() {
        if (closed) {
            return;
        }
        long now = clock.nowMillis();
        retries.tick();
        settleCatalog(now);
        decisionCollector.tick();
        snapshots.expire(catalog.current());
        indexBuilds.tick();
        transactions.expire();
        LogSpace logSpace = observeLog();
        for (Shards.Entry entry : shards.all()) {
            entry.shard().context().execute(() -> entry.maintenance().tick(now, logSpace));
        }
        if (isRunning.compareAndSet(false, true)) {
            shards.logNeeds().whenComplete((needs, failed) -> maintain(needs, now));
        }
    }

    private LogSpace observeLog() {
        LogSpace space = log.space();
        if (space.isShort() != wasLogShort) {
            wasLogShort = space.isShort();
            shards.notifyLogSpace(space);
        }
        return space;
    }

    /** Requests the outcome of a catalog statement that the store has not answered yet. */
    private void settleCatalog(long now) {
        if (!catalog.isUnsettled()) {
            settleAtMillis = 0;
            settlePauseMillis = TICK_MILLIS;
            return;
        }
        if (now < settleAtMillis || !isSettling.compareAndSet(false, true)) {
            return;
        }
        try {
            threads.catalog().execute(this::settleNow);
        } catch (RejectedExecutionException full) {
            isSettling.set(false); // the next tick tries again
        }
    }

    private void settleNow() {
        try {
            if (!catalog.settle()) {
                settleAtMillis = clock.nowMillis() + settlePauseMillis;
                settlePauseMillis = Math.min(2 * settlePauseMillis, MAX_SETTLE_PAUSE_MILLIS);
            }
        } catch (RuntimeException | Error failed) {
            threads.uncaught().accept(failed);
        } finally {
            isSettling.set(false);
        }
    }

    private void maintain(Shards.@Nullable LogNeeds needs, long now) {
        try {
            threads.deleting()
                    .execute(
                            () -> {
                                try {
                                    if (needs != null && !closed && catalog.damage().isEmpty()) {
                                        // First remove flushed records from the retained ones: a
                                        // retained PREPARE must not outlive its OUTCOME in the log
                                        retainedLog.forget(needs);
                                        log.trim(
                                                needs.flushed(),
                                                committed.savingTo(
                                                        retainedLog.keeper(needs.retained()),
                                                        decisionCollector));
                                        if (committed.isLarge()) {
                                            committed.save(decisionCollector);
                                        }
                                        collector.collect(now);
                                        dropReplacedTables();
                                    }
                                } catch (IOException | RuntimeException | Error failed) {
                                    threads.uncaught().accept(failed);
                                } finally {
                                    isRunning.set(false);
                                }
                            });
        } catch (RejectedExecutionException full) {
            isRunning.set(false); // the next tick tries again
        }
    }

    /**
     * Drops replaced tables on another pool than deletions, because it waits for other statements.
     */
    private void dropReplacedTables() {
        if (!isDropping.compareAndSet(false, true)) {
            return;
        }
        try {
            threads.catalog()
                    .execute(
                            () -> {
                                try {
                                    replacedTables.dropUnreadable();
                                } catch (RuntimeException | Error failed) {
                                    threads.uncaught().accept(failed);
                                } finally {
                                    isDropping.set(false);
                                }
                            });
        } catch (RejectedExecutionException full) {
            isDropping.set(false); // the next tick tries again
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            ticks.close();
            pokes.close();
        } catch (Exception failed) {
            threads.uncaught().accept(failed);
        }
    }
}
