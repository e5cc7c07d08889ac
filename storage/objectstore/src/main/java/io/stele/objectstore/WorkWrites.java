package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The record and stop switch of one background job's writes, such as a compaction's: it counts
 * bytes, lists completed objects, and can fail the next write. Thread-safe.
 */
public final class WorkWrites {
    private final LongConsumer counter;
    private final List<String> committed = new ArrayList<>(); // guarded by itself
    private volatile boolean stopped;

    /**
     * @param counter called with written bytes, on the writing thread
     */
    public WorkWrites(LongConsumer counter) {
        this.counter = requireNonNull(counter, "counter is null");
    }

    /** Makes all later writes of the job fail. */
    public void stop() {
        stopped = true;
    }

    /** Whether a failure of the work may be that it was stopped. */
    public boolean isStopped() {
        return stopped;
    }

    /** Paths of the completed objects. */
    public List<String> committed() {
        synchronized (committed) {
            return List.copyOf(committed);
        }
    }

    /** A store for the work to write to. */
    public ObjectStore over(ObjectStore store) {
        return new Store(store, this);
    }

    private void check(String path) throws IOException {
        if (stopped) {
            throw new IOException("Stopped before " + path + " was written");
        }
    }

    private void add(String path) {
        synchronized (committed) {
            committed.add(path);
        }
    }

    private static final class Store extends ForwardingObjectStore {
        private final WorkWrites writes;

        private Store(ObjectStore store, WorkWrites writes) {
            super(store);
            this.writes = writes;
        }

        @Override
        public ObjectWriter create(String path) throws IOException {
            writes.check(path);
            return new Writer(super.create(path), path, writes);
        }

        @Override
        public void put(String path, byte[] content) throws IOException {
            writes.check(path);
            super.put(path, content);
            writes.counter.accept(content.length);
            writes.add(path);
        }

        /** Reads are not counted, so they use the wrapped store directly. */
        @Override
        public ObjectReader open(String path, long sizeBytes) throws IOException {
            return delegate().open(path, sizeBytes);
        }

        @Override
        public ObjectStore admittingOnSecondAccess() {
            return writes.over(delegate().admittingOnSecondAccess());
        }

        @Override
        public ObjectStore replacing(List<ObjectEntry> replaced) {
            return writes.over(delegate().replacing(replaced));
        }
    }

    private static final class Writer extends ForwardingObjectWriter {
        private final String path;
        private final WorkWrites writes;

        private Writer(ObjectWriter writer, String path, WorkWrites writes) {
            super(writer);
            this.path = path;
            this.writes = writes;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            writes.check(path);
            super.write(bytes, offset, length);
            writes.counter.accept(length);
        }

        @Override
        public void commit() throws IOException {
            super.commit();
            writes.add(path);
        }
    }
}
