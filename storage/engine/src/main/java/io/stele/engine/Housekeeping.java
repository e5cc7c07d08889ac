package io.stele.engine;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The timer-driven maintenance of an engine: it expires leases and transactions, starts flushes and
 * compactions, trims the log, and collects obsolete files. Its methods run on the periodic thread
 * and hand over long tasks to the pools of the engine.
 */
final class Housekeeping implements AutoCloseable {
    private static final long TICK_MILLIS =
            500; // ages are in seconds, and a retry after a store fault need not be faster
    private static final long POKE_MILLIS = 20; // what a slowed write waits longer than it must

    private static final long MAX_SETTLE_PAUSE_MILLIS = 10_000;

    private final EngineThreads threads;
    private final EngineClock clock;
    private final Shards shards;
    private final EngineLog log;
    private final KeptLog keptLog;
    private final ReadPoints readPoints;
    private final FileCollector collector;
    private final Transactions transactions;
    private final Retries retries;
    private final OldDecisions oldDecisions;
    private final IndexBuilds indexBuilds;
    private final ReplacedTables replacedTables;
    private final CatalogService catalog;
    private final AutoCloseable ticks;
    private final AutoCloseable pokes;
    private final AtomicBoolean isRunning = new AtomicBoolean();
    private final AtomicBoolean isSettling = new AtomicBoolean();
    private volatile long settleAtMillis; // not before
    private volatile long settlePauseMillis = TICK_MILLIS;
    private volatile boolean closed;

    Housekeeping(
            EngineThreads threads,
            EngineClock clock,
            Shards shards,
            EngineLog log,
            KeptLog keptLog,
            ReadPoints readPoints,
            FileCollector collector,
            Transactions transactions,
            Retries retries,
            OldDecisions oldDecisions,
            IndexBuilds indexBuilds,
            ReplacedTables replacedTables,
            CatalogService catalog) {
        this.threads = requireNonNull(threads, "threads is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.log = requireNonNull(log, "log is null");
        this.keptLog = requireNonNull(keptLog, "keptLog is null");
        this.readPoints = requireNonNull(readPoints, "readPoints is null");
        this.collector = requireNonNull(collector, "collector is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.retries = requireNonNull(retries, "retries is null");
        this.oldDecisions = requireNonNull(oldDecisions, "oldDecisions is null");
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
        oldDecisions.tick();
        readPoints.expire();
        indexBuilds.next();
        transactions.expire();
        long logBytes = log.status().segmentBytes();
        for (Shards.Entry entry : shards.all()) {
            entry.shard().context().execute(() -> entry.maintenance().tick(now, logBytes));
        }
        if (isRunning.compareAndSet(false, true)) {
            shards.logNeeds().whenComplete((needs, failed) -> keepHouse(needs, now));
        }
    }

    /** Finds out what became of a statement that the store has not answered. */
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
            threads.background().execute(this::settleNow);
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

    private void keepHouse(Shards.@Nullable LogNeeds needs, long now) {
        try {
            threads.deleting()
                    .execute(
                            () -> {
                                try {
                                    if (needs != null && !closed && catalog.damage().isEmpty()) {
                                        // First remove flushed records from the retained ones: a
                                        // retained PREPARE must not outlive its OUTCOME in the log
                                        keptLog.forget(needs);
                                        log.trim(needs.flushed(), keptLog.keeper(needs.kept()));
                                        collector.collect(now);
                                        replacedTables.dropUnreadable();
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
