package io.stele.storage.objectstore;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** A store that is another one, for tests that change a part of it. */
public class ForwardingStore implements ObjectStore {
    private final ObjectStore store;

    public ForwardingStore(ObjectStore store) {
        this.store = store;
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
    public ObjectWriter create(String path) throws IOException {
        return store.create(path);
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
}
