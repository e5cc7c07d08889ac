package io.stele.objectstore;

import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

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
     * Opens an object that never changes to be read in pieces; asks the store for nothing. Stores
     * that keep pages of such objects nearer read through these, so everything that reads data
     * files goes this way.
     *
     * @param sizeBytes its size, as the caller knows it
     * @throws IOException if the store itself cannot be used
     */
    default ObjectReader open(String path, long sizeBytes) throws IOException {
        return new DirectObjectReader(this, path);
    }

    /**
     * This store for writing objects that take the place of others. One that keeps what it writes
     * nearer does so for these if it has most of those.
     *
     * @param replaced what readers of the new objects would have read until now
     */
    default ObjectStore replacing(List<ObjectEntry> replaced) {
        return this;
    }

    /**
     * This store for a reader of objects that others elsewhere read as a rule. One that keeps what
     * it reads nearer does so only for what is read like this again.
     */
    default ObjectStore visiting() {
        return this;
    }

    /**
     * Reads a whole object; for objects that fit in memory several times over, such as manifests.
     */
    byte[] readFully(String path) throws IOException;

    /**
     * The bytes of an object as they lie in the store: encrypted, where {@link #readFully} decrypts
     * them. For moving what cannot be read.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
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
     * expected}; {@code false} and no change if it has another or is not there. Of racing calls
     * that expect the same, one succeeds. Contents must never come back (put a version in): who
     * expects an old one could not tell. Objects that are swapped are changed in no other way but
     * deletion.
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
    List<ObjectEntry> list(String prefix) throws IOException;

    /** Deletes the object; nothing happens if it does not exist. */
    void delete(String path) throws IOException;

    /**
     * Deletes what writers that died have left half-written, where the store keeps such things in
     * sight: what was last changed before {@code limit}. A writer that goes on after that fails at
     * its commit.
     *
     * @return how many
     */
    default int deleteAbandoned(Instant limit) throws IOException {
        return 0;
    }

    /** Where the object lies, for messages: {@code Expected ... in <location>}. */
    String describe(String path);

    /**
     * Whether every call is a request over a network, so that one read of more bytes costs less
     * than several of fewer.
     */
    default boolean isRemote() {
        return false;
    }

    /** What reads cost, where the store counts that. */
    default Optional<RetrievalStatistics> retrieval() {
        return Optional.empty();
    }

    /** How the store is read ahead of, where waiting for it is worth that. */
    default Optional<ReadingAhead> readingAhead() {
        return Optional.empty();
    }

    /** Gives back connections, where the store has some; nothing is called after this. */
    @Override
    default void close() throws IOException {}
}
