package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A base class of object store wrappers that forwards calls to another store, including calls of
 * default methods; a subclass overrides what it changes. Only {@link #open}, {@link #replacing},
 * {@link #admittingOnSecondAccess} and {@link #list} are not forwarded: they use this store, so
 * that a subclass that overrides {@link #read} changes all reads, and one that overrides {@link
 * #forEach} all listings.
 */
public abstract class ForwardingObjectStore implements ObjectStore {
    private final ObjectStore store;

    protected ForwardingObjectStore(ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
    }

    /** The store that receives the calls. */
    protected final ObjectStore delegate() {
        return store;
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
    public byte[] readStored(String path) throws IOException {
        return store.readStored(path);
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
    public boolean supportsCompareAndSwap() {
        return store.supportsCompareAndSwap();
    }

    @Override
    public boolean compareAndSwap(String path, byte[] expected, byte[] content) throws IOException {
        return store.compareAndSwap(path, expected, content);
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        return store.create(path);
    }

    @Override
    public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
        store.forEach(prefix, action);
    }

    @Override
    public List<String> folders(String folder) throws IOException {
        return store.folders(folder);
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
    public Optional<ReadingAhead> readingAhead() {
        return store.readingAhead();
    }

    @Override
    public Optional<RetrievalStatistics> retrieval() {
        return store.retrieval();
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
