package io.stele.storage.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.storage.fault.CrashPoint;
import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * A store in memory that fails as object stores do: late answers, errors without effect, errors
 * after the effect, and a crash of the process that uses it. Bytes of an object that was not
 * committed are never visible.
 *
 * <p>Safe for use by many threads; with one thread and one seed the faults are always the same.
 */
public final class FaultInjectingObjectStore implements ObjectStore {
    private final InMemoryObjectStore store;
    private final CrashPoint crashPoint;
    private final StoreFaults faults;
    private final RandomGenerator random;
    private final LongConsumer sleepNanos;

    private enum Fault {
        NONE,
        FAILS,
        UNKNOWN,
        DIES_BEFORE,
        DIES_AFTER
    }

    /** A call of the store inside. */
    private interface Call<T> {
        T run() throws IOException;
    }

    /**
     * An empty store.
     *
     * @param crashPoint when the process dies; shared with its log files
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
     * The store as the next process finds it, with its own crash point and faults. Whatever threads
     * of the old process still do has no effect on it.
     */
    public FaultInjectingObjectStore surviving(CrashPoint nextCrashPoint, StoreFaults nextFaults) {
        return new FaultInjectingObjectStore(
                store.copy(), nextCrashPoint, nextFaults, random, sleepNanos);
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
    public List<ObjectEntry> list(String prefix) throws IOException {
        return look("list " + prefix, () -> store.list(prefix));
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        return change("create " + path, () -> store.createIfAbsent(path, content));
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        change(
                "put " + path,
                () -> {
                    store.put(path, content);
                    return true;
                });
    }

    @Override
    public void delete(String path) throws IOException {
        change(
                "delete " + path,
                () -> {
                    store.delete(path);
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
        if (drawFault() != Fault.NONE) {
            throw failure(what);
        }
        T result = call.run();
        crashPoint.checkAlive(what);
        return result;
    }

    private <T> T change(String what, Call<T> call) throws IOException {
        Fault fault = crashPoint.step(what) ? drawDeath() : drawFault();
        return switch (fault) {
            case NONE -> call.run();
            case FAILS -> throw failure(what);
            case UNKNOWN -> {
                call.run();
                throw failure(what);
            }
            case DIES_BEFORE -> throw crashPoint.crash(what);
            case DIES_AFTER -> {
                call.run();
                throw crashPoint.crash(what);
            }
        };
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
        long latencyNanos;
        double draw;
        synchronized (random) {
            latencyNanos = random.nextLong(faults.minLatencyNanos(), faults.maxLatencyNanos() + 1);
            draw = random.nextDouble();
        }
        if (latencyNanos > 0) {
            sleepNanos.accept(latencyNanos);
        }
        if (draw < faults.failure()) {
            return Fault.FAILS;
        }
        return draw < faults.failure() + faults.unknownOutcome() ? Fault.UNKNOWN : Fault.NONE;
    }

    private final class FaultInjectingWriter extends ObjectWriter {
        private final String path;
        private final ObjectWriter writer;

        FaultInjectingWriter(String path, ObjectWriter writer) {
            this.path = path;
            this.writer = writer;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            look(
                    "upload " + path,
                    () -> {
                        writer.write(bytes, offset, length);
                        return true;
                    });
        }

        @Override
        public long position() {
            return writer.position();
        }

        @Override
        public void commit() throws IOException {
            change(
                    "commit " + path,
                    () -> {
                        writer.commit();
                        return true;
                    });
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
