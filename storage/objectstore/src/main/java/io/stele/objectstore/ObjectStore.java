package io.stele.objectstore;

import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The object store of a warehouse: immutable byte objects named by paths (see {@link ObjectPath}).
 *
 * <p>Calls block; run them on virtual threads, never inside an execution context. Thread-safe.
 *
 * <p>Errors: a missing object is {@link java.nio.file.NoSuchFileException}. Any other {@link
 * IOException} of a call that changes something means that its outcome is <em>unknown</em>: the
 * change may have happened, or may still happen. Callers find out by reading, as {@link
 * ConditionalCreate} does.
 *
 * <p>Invariant: a reader sees a whole object or none. Invariant: an object survives a crash once a
 * call that creates it has succeeded, or a call has reported that it exists. Invariant: of all
 * {@link #createIfAbsent} and {@link ObjectWriter#commit} calls for one path that was never
 * deleted, at most one succeeds. A deletion may be undone by a crash.
 */
public interface ObjectStore extends Closeable {
    /**
     * Reads exactly {@code length} bytes at {@code offset} into {@code buffer}.
     *
     * @throws EOFException if the object ends before
     */
    void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException;

    /** Reads exactly {@code length} bytes at {@code offset}. */
    default byte[] read(String path, long offset, int length) throws IOException {
        byte[] result = new byte[length];
        read(path, offset, result, 0, length);
        return result;
    }

    /**
     * Opens an object that never changes, to be read in pieces; makes no request. Stores that cache
     * pages of such objects read through the cache here, so all reads of data files use this
     * method.
     *
     * @param sizeBytes the size of the object in bytes
     * @throws IOException if the store itself cannot be used
     */
    default ObjectReader open(String path, long sizeBytes) throws IOException {
        return new DirectObjectReader(this, path);
    }

    /**
     * This store for writing objects that replace others. A store that caches what it writes caches
     * the new objects if enough of the old objects' bytes is cached.
     *
     * @param replaced the objects that are replaced
     */
    default ObjectStore replacing(List<ObjectEntry> replaced) {
        return this;
    }

    /**
     * This store for a reader on a worker that is not the objects' preferred one. A store with a
     * cache then caches only data that is read this way a second time.
     */
    default ObjectStore admittingOnSecondAccess() {
        return this;
    }

    /**
     * Reads a whole object; for objects that fit in memory several times over, such as manifests.
     */
    byte[] readFully(String path) throws IOException;

    /**
     * The bytes of an object as they are stored: encrypted, where {@link #readFully} decrypts them.
     * For moving objects that cannot be read.
     *
     * @throws java.nio.file.NoSuchFileException if there is no such object
     */
    default byte[] readStored(String path) throws IOException {
        return readFully(path);
    }

    /** The size of an object in bytes. */
    long size(String path) throws IOException;

    /**
     * Creates the object, durable when the call returns; {@code false} and no change if it exists
     * already.
     */
    boolean createIfAbsent(String path, byte[] content) throws IOException;

    /** Creates or replaces the object as a whole, durable when the call returns. */
    void put(String path, byte[] content) throws IOException;

    /** Whether {@link #compareAndSwap} works here. */
    default boolean supportsCompareAndSwap() {
        return false;
    }

    /**
     * Replaces the object as a whole, durable when the call returns, if its content is {@code
     * expected}; {@code false} and no change if it has another content or does not exist. Of racing
     * calls that expect the same content, one succeeds. Contents must never recur (put a version
     * in), because a caller that expects an old content could not detect it. Objects that are
     * swapped are changed otherwise only by deletion.
     *
     * @throws UnsupportedOperationException if the store cannot
     */
    default boolean compareAndSwap(String path, byte[] expected, byte[] content)
            throws IOException {
        throw new UnsupportedOperationException(
                "Expected a store that compares and swaps, found none: " + describe(path));
    }

    /** Starts an object that becomes visible, whole and durable at {@link ObjectWriter#commit}. */
    ObjectWriter create(String path) throws IOException;

    /**
     * The objects whose path starts with {@code prefix} (any string, not only whole components), in
     * path order.
     */
    default List<ObjectEntry> list(String prefix) throws IOException {
        List<ObjectEntry> entries = new ArrayList<>();
        forEach(prefix, entries::add);
        entries.sort(Comparator.comparing(ObjectEntry::path));
        return List.copyOf(entries);
    }

    /**
     * Calls {@code action} with each of the objects that {@link #list} returns, in any order, while
     * they are listed: very many take little memory. If the call fails, some were passed.
     */
    void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException;

    /**
     * The names of the folders directly in a folder, in order: where the store can, with one
     * request for a thousand folders, whatever they contain.
     *
     * @param folder without a slash at its end
     */
    default List<String> folders(String folder) throws IOException {
        String parent = folder + "/";
        SortedSet<String> names = new TreeSet<>();
        forEach(
                parent,
                entry -> {
                    int end = entry.path().indexOf('/', parent.length());
                    if (end >= 0) {
                        names.add(entry.path().substring(parent.length(), end));
                    }
                });
        return List.copyOf(names);
    }

    /** Deletes the object; nothing happens if it does not exist. */
    void delete(String path) throws IOException;

    /**
     * Deletes half-written objects of writers that ended without a commit, if the store can list
     * them and they last changed before {@code limit}. A writer that continues after that fails at
     * its commit.
     *
     * @return the number of deleted objects
     */
    default int deleteAbandoned(Instant limit) throws IOException {
        return 0;
    }

    /** The location of the object, for messages: {@code Expected ... in <location>}. */
    String describe(String path);

    /**
     * Whether every call is a request over a network, so that one read of more bytes costs less
     * than several of fewer.
     */
    default boolean isRemote() {
        return false;
    }

    /** The statistics of reads; empty if the store does not count them. */
    default Optional<RetrievalStatistics> retrieval() {
        return Optional.empty();
    }

    /** The read-ahead resources of the store; empty if waiting for it does not justify them. */
    default Optional<ReadingAhead> readingAhead() {
        return Optional.empty();
    }

    /** Closes the store's connections, if it has some; no method may be called after this. */
    @Override
    default void close() throws IOException {}
}
