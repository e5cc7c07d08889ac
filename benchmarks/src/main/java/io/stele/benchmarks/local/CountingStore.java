package io.stele.benchmarks.local;

import static java.util.Objects.requireNonNull;

import io.stele.storage.objectstore.ObjectEntry;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.ObjectWriter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** A store that counts the bytes written into it. */
public final class CountingStore implements ObjectStore {
    private final ObjectStore store;
    private final LongAdder dataBytes = new LongAdder();
    private final LongAdder otherBytes = new LongAdder();

    public CountingStore(ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
    }

    /** Row files, column files and key indexes. */
    public long dataBytes() {
        return dataBytes.sum();
    }

    /** Manifests, delete vectors, the catalog and decisions. */
    public long otherBytes() {
        return otherBytes.sum();
    }

    private void count(String path, long bytes) {
        boolean data = path.startsWith("data/") && !path.contains(".dv-");
        (data ? dataBytes : otherBytes).add(bytes);
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        count(path, content.length);
        return store.createIfAbsent(path, content);
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        count(path, content.length);
        store.put(path, content);
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        return new CountingWriter(path, store.create(path));
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        store.read(path, offset, buffer, bufferOffset, length);
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        return store.readFully(path);
    }

    @Override
    public long size(String path) throws IOException {
        return store.size(path);
    }

    @Override
    public List<ObjectEntry> list(String prefix) throws IOException {
        return store.list(prefix);
    }

    @Override
    public void delete(String path) throws IOException {
        store.delete(path);
    }

    @Override
    public String describe(String path) {
        return store.describe(path);
    }

    private final class CountingWriter extends ObjectWriter {
        private final String path;
        private final ObjectWriter writer;

        private CountingWriter(String path, ObjectWriter writer) {
            this.path = path;
            this.writer = writer;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            count(path, length);
            writer.write(bytes, offset, length);
        }

        @Override
        public long position() {
            return writer.position();
        }

        @Override
        public void commit() throws IOException {
            writer.commit();
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
