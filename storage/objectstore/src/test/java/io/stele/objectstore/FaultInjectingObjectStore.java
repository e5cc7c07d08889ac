package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.fault.CrashPoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * A store in memory that fails as object stores do: late answers, errors without effect, errors
 * after the effect and before it (the change takes place later, in any order with others, perhaps
 * after the end of the process that requested it), outages, and a crash of the process that uses
 * it. Bytes of an object that was not committed are never visible.
 *
 * <p>Safe for use by many threads; with one thread and one seed the faults are always the same.
 */
public final class FaultInjectingObjectStore implements ObjectStore {
    private static final double LATE_SHARE = 0.2; // so some are late by several calls

    private final InMemoryObjectStore store;
    private final CrashPoint crashPoint;
    private final RandomGenerator random;
    private final LongConsumer sleepNanos;
    private final List<LateChange> late = new ArrayList<>(); // guarded by itself
    private final AtomicInteger openWriters = new AtomicInteger();
    private final AtomicInteger mostOpenWriters = new AtomicInteger();
    private volatile StoreFaults faults;
    private volatile Predicate<String> failing = what -> false;

    private enum Fault {
        NONE,
        FAILS,
        UNKNOWN,
        LATE,
        DIES_BEFORE,
        DIES_AFTER
    }

    /** A call of the store inside. */
    private interface Call<T> {
        T run() throws IOException;
    }

    /** A change of the store inside, or of what the next process finds of it. */
    private interface Change<T> {
        T run(InMemoryObjectStore on) throws IOException;
    }

    /** A change that is still on its way when its call has failed. */
    private interface LateChange {
        void run(InMemoryObjectStore on) throws IOException;
    }

    /**
     * An empty store.
     *
     * @param crashPoint when the process crashes; shared with its log files
     * @param random draws faults and latencies; only used inside this
     * @param sleepNanos spends the latency of a call: sleeps, or moves a simulated clock
     */
    public FaultInjectingObjectStore(
            CrashPoint crashPoint,
            StoreFaults faults,
            RandomGenerator random,
            LongConsumer sleepNanos) {
        this(new InMemoryObjectStore(), crashPoint, faults, random, sleepNanos);
    }

    private FaultInjectingObjectStore(
            InMemoryObjectStore store,
            CrashPoint crashPoint,
            StoreFaults faults,
            RandomGenerator random,
            LongConsumer sleepNanos) {
        this.store = store;
        this.crashPoint = requireNonNull(crashPoint, "crashPoint is null");
        this.faults = requireNonNull(faults, "faults is null");
        this.random = requireNonNull(random, "random is null");
        this.sleepNanos = requireNonNull(sleepNanos, "sleepNanos is null");
    }

    /**
     * The store as the next process finds it, with its own crash point and faults. Threads of the
     * old process have no effect on it.
     */
    public FaultInjectingObjectStore surviving(CrashPoint nextCrashPoint, StoreFaults nextFaults) {
        FaultInjectingObjectStore next =
                new FaultInjectingObjectStore(
                        store.copy(), nextCrashPoint, nextFaults, random, sleepNanos);
        synchronized (late) {
            next.late.addAll(late);
        }
        return next;
    }

    /** The greatest number of objects being written at a time since the last call. */
    public int takeMostOpenWriters() {
        return mostOpenWriters.getAndSet(openWriters.get());
    }

    /** From now on other faults: an outage begins or ends. */
    public void setFaults(StoreFaults newFaults) {
        faults = requireNonNull(newFaults, "newFaults is null");
    }

    /**
     * From now on these calls fail without effect, independent of the faults.
     *
     * @param what selects them by their description: {@code read PATH}, {@code start PATH} (of a
     *     new object), {@code create PATH} and so on, as in failures
     */
    public void failWhere(Predicate<String> what) {
        failing = requireNonNull(what, "what is null");
    }

    /** Applies all late changes, in any order. */
    public void settle() {
        while (arriveLate(1)) {
            // one more
        }
    }

    /** The objects as they are, without faults: for oracles. */
    public InMemoryObjectStore contents() {
        return store.copy();
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        look(
                "read " + path,
                () -> {
                    store.read(path, offset, buffer, bufferOffset, length);
                    return true;
                });
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        return look("read " + path, () -> store.readFully(path));
    }

    @Override
    public long size(String path) throws IOException {
        return look("size of " + path, () -> store.size(path));
    }

    @Override
    public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
        look("list " + prefix, () -> store.list(prefix)).forEach(action);
    }

    @Override
    public List<String> folders(String folder) throws IOException {
        return look("folders of " + folder, () -> store.folders(folder));
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        return change("create " + path, on -> on.createIfAbsent(path, content));
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        change(
                "put " + path,
                on -> {
                    on.put(path, content);
                    return true;
                });
    }

    @Override
    public boolean supportsCompareAndSwap() {
        return true;
    }

    @Override
    public boolean compareAndSwap(String path, byte[] expected, byte[] content) throws IOException {
        return change("swap " + path, on -> on.compareAndSwap(path, expected, content));
    }

    @Override
    public void delete(String path) throws IOException {
        change(
                "delete " + path,
                on -> {
                    on.delete(path);
                    return true;
                });
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        return new FaultInjectingWriter(path, look("start " + path, () -> store.create(path)));
    }

    @Override
    public String describe(String path) {
        return store.describe(path);
    }

    private <T> T look(String what, Call<T> call) throws IOException {
        crashPoint.checkAlive(what);
        arriveLate(LATE_SHARE);
        if (failing.test(what) || drawFault() != Fault.NONE) {
            throw failure(what);
        }
        T result = call.run();
        crashPoint.checkAlive(what);
        return result;
    }

    private <T> T change(String what, Change<T> change) throws IOException {
        Fault fault = crashPoint.step(what) ? drawDeath() : drawFault();
        arriveLate(LATE_SHARE);
        if (failing.test(what)) {
            throw failure(what);
        }
        return switch (fault) {
            case NONE -> change.run(store);
            case FAILS -> throw failure(what);
            case UNKNOWN -> {
                change.run(store);
                throw failure(what);
            }
            case LATE -> {
                synchronized (late) {
                    late.add(change::run);
                }
                throw failure(what);
            }
            case DIES_BEFORE -> throw crashPoint.crash(what);
            case DIES_AFTER -> {
                change.run(store);
                throw crashPoint.crash(what);
            }
        };
    }

    /** Applies one of the late changes, with some probability. */
    private boolean arriveLate(double share) {
        LateChange arrived;
        synchronized (late) {
            if (late.isEmpty()) {
                return false;
            }
            synchronized (random) {
                if (random.nextDouble() >= share) {
                    return false;
                }
                arrived = late.remove(random.nextInt(late.size()));
            }
        }
        try {
            arrived.run(store);
        } catch (IOException refused) {
            // The late answer does not matter: another object exists already
        }
        return true;
    }

    private static IOException failure(String what) {
        return new IOException("Injected failure: " + what);
    }

    private Fault drawDeath() {
        synchronized (random) {
            return random.nextBoolean() ? Fault.DIES_BEFORE : Fault.DIES_AFTER;
        }
    }

    private Fault drawFault() {
        StoreFaults drawn = faults;
        long latencyNanos;
        double draw;
        synchronized (random) {
            latencyNanos = random.nextLong(drawn.minLatencyNanos(), drawn.maxLatencyNanos() + 1);
            draw = random.nextDouble();
        }
        if (latencyNanos > 0) {
            sleepNanos.accept(latencyNanos);
        }
        if (draw < drawn.failure()) {
            return Fault.FAILS;
        }
        if (draw < drawn.failure() + drawn.unknownOutcome()) {
            return Fault.UNKNOWN;
        }
        return draw < drawn.failure() + drawn.unknownOutcome() + drawn.lateEffect()
                ? Fault.LATE
                : Fault.NONE;
    }

    private final class FaultInjectingWriter extends ObjectWriter {
        private final String path;
        private final ObjectWriter writer;
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private final AtomicBoolean isOpen = new AtomicBoolean(true);

        FaultInjectingWriter(String path, ObjectWriter writer) {
            this.path = path;
            this.writer = writer;
            mostOpenWriters.accumulateAndGet(openWriters.incrementAndGet(), Math::max);
        }

        private void ended() {
            if (isOpen.compareAndSet(true, false)) {
                openWriters.decrementAndGet();
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            look(
                    "upload " + path,
                    () -> {
                        writer.write(bytes, offset, length);
                        content.write(bytes, offset, length);
                        return true;
                    });
        }

        @Override
        public long position() {
            return writer.position();
        }

        @Override
        public void commit() throws IOException {
            writer.write(new byte[0], 0, 0); // fails unless it is open
            change(
                    "commit " + path,
                    on -> {
                        try (ObjectWriter object = on.create(path)) {
                            object.write(content.toByteArray());
                            object.commit();
                        }
                        return true;
                    });
            writer.close();
            ended();
        }

        @Override
        public void close() throws IOException {
            writer.close();
            ended();
        }
    }
}
