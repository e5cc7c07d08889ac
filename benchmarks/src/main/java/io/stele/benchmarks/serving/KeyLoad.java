package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * A load of clients on one store, each with a session and a thread, which read or write rows by key
 * one after the other.
 *
 * @param clients sessions, each with a thread
 * @param rows ids go from 1 to this
 */
record KeyLoad(ServingStore store, int clients, long rows, Keys keys) {
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** How ids are drawn. */
    enum Keys {
        UNIFORM,
        /** YCSB's scrambled Zipf distribution, 0.99. */
        ZIPF;

        LongSupplier generator(long rows, long seed) {
            return switch (this) {
                case UNIFORM -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    yield () -> random.nextLong(rows) + 1;
                }
                case ZIPF -> {
                    ScrambledZipfianGenerator zipf = new ScrambledZipfianGenerator(rows);
                    yield () -> zipf.nextValue() + 1;
                }
            };
        }
    }

    /** What a client does with the ids that it draws. */
    @FunctionalInterface
    interface Operation {
        void run(ServingStore.Session session, LongSupplier ids) throws Exception;
    }

    static final Operation GET = (session, ids) -> session.get(ids.getAsLong());
    static final Operation UPSERT = (session, ids) -> session.upsert(ids.getAsLong());

    static Operation multiGet(int keys) {
        return (session, ids) -> {
            long[] wanted = new long[keys];
            for (int i = 0; i < keys; i++) {
                wanted[i] = ids.getAsLong();
            }
            session.multiGet(wanted);
        };
    }

    /**
     * What was measured.
     *
     * @param perSecond operations that ended, by wall time
     */
    record Result(double perSecond, Histogram nanos) {
        double millis(double percentile) {
            return nanos.getValueAtPercentile(percentile) / 1e6;
        }
    }

    KeyLoad {
        requireNonNull(store, "store is null");
        requireNonNull(keys, "keys is null");
    }

    /** Each client begins an operation when the one before ended. */
    Result closedLoop(Operation operation, Duration duration, long seed) throws Exception {
        return run(
                seed,
                (session, ids, start, nanos) -> {
                    long deadline = start + duration.toNanos();
                    long before = System.nanoTime();
                    while (before < deadline) {
                        operation.run(session, ids);
                        long after = System.nanoTime();
                        nanos.recordValue(Math.min(after - before, HIGHEST_NANOS));
                        before = after;
                    }
                });
    }

    /**
     * Operations are due at a fixed rate, whichever client is free does the next one, and its time
     * counts from when it was due: a server that stops for a moment pays for all that were due in
     * it.
     */
    Result openLoop(Operation operation, double perSecond, Duration duration, long seed)
            throws Exception {
        AtomicLong next = new AtomicLong();
        double intervalNanos = 1e9 / perSecond;
        long operations = (long) (perSecond * duration.toNanos() / 1e9);
        return run(
                seed,
                (session, ids, start, nanos) -> {
                    long number = next.getAndIncrement();
                    while (number < operations) {
                        long due = start + (long) (number * intervalNanos);
                        for (long early = due - System.nanoTime();
                                early > 0;
                                early = due - System.nanoTime()) {
                            LockSupport.parkNanos(early);
                        }
                        operation.run(session, ids);
                        nanos.recordValue(Math.min(System.nanoTime() - due, HIGHEST_NANOS));
                        number = next.getAndIncrement();
                    }
                });
    }

    @FunctionalInterface
    private interface Client {
        void run(ServingStore.Session session, LongSupplier ids, long start, Histogram nanos)
                throws Exception;
    }

    private Result run(long seed, Client client) throws Exception {
        List<ServingStore.Session> sessions = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(clients)) {
            List<LongSupplier> ids = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                sessions.add(store.open());
                ids.add(keys.generator(rows, seed * 131 + i));
            }
            List<Histogram> histograms = new ArrayList<>();
            List<Callable<Void>> tasks = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < clients; i++) {
                ServingStore.Session session = sessions.get(i);
                LongSupplier own = ids.get(i);
                Histogram nanos = new Histogram(HIGHEST_NANOS, 3);
                histograms.add(nanos);
                tasks.add(
                        () -> {
                            client.run(session, own, start, nanos);
                            return null;
                        });
            }
            for (Future<Void> ended : executor.invokeAll(tasks)) {
                ended.get();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            Histogram all = new Histogram(HIGHEST_NANOS, 3);
            histograms.forEach(all::add);
            return new Result(all.getTotalCount() / seconds, all);
        } finally {
            for (ServingStore.Session session : sessions) {
                session.close();
            }
        }
    }
}
