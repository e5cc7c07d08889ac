package io.stele.storage.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** A store whose new objects are written no faster than a {@link WritePacer} lets. */
public final class PacedObjectStore implements ObjectStore {
    private final ObjectStore store;
    private final WritePacer pacer;

    public PacedObjectStore(ObjectStore store, WritePacer pacer) {
        this.store = requireNonNull(store, "store is null");
        this.pacer = requireNonNull(pacer, "pacer is null");
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        return new PacedWriter(store.create(path), pacer);
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
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        return store.createIfAbsent(path, content);
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        store.put(path, content);
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
    public int deleteAbandoned(Instant limit) throws IOException {
        return store.deleteAbandoned(limit);
    }

    @Override
    public String describe(String path) {
        return store.describe(path);
    }

    @Override
    public boolean isRemote() {
        return store.isRemote();
    }

    @Override
    public void close() throws IOException {
        store.close();
    }

    private static final class PacedWriter extends ObjectWriter {
        private final ObjectWriter writer;
        private final WritePacer pacer;

        private PacedWriter(ObjectWriter writer, WritePacer pacer) {
            this.writer = writer;
            this.pacer = pacer;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            pacer.acquire(length);
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
