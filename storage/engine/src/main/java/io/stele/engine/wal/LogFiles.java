package io.stele.engine.wal;

import io.stele.objectstore.encryption.Encryption;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The segment files of one log, on any medium. Segments have numbers from 1 up.
 *
 * <p>Creation, sealing and deletion are durable when the call returns; appended bytes are durable
 * only after {@link Writer#sync}, and where each group is a segment, creation too. After a failed
 * append or sync the file is in an unknown state, and nothing may be appended to it any more. Safe
 * for use by many threads, except that one writer belongs to one thread.
 */
public interface LogFiles extends Closeable {
    /**
     * Makes this engine the owner of the log: from now on engines of a lower epoch cannot append,
     * and everything that they have appended can be read. Called once, before all methods but
     * {@link #segments} and {@link #open}; files that only one process can open need nothing.
     *
     * @param epoch that no other engine has
     * @param logId of the log, for the object that takes it over
     * @throws io.stele.protocol.SteleException UNAVAILABLE when an engine of a higher epoch owns
     *     the log
     */
    default void takeOver(long epoch, LogId logId) throws IOException {}

    /** Whether every group needs a segment of its own, at any size. */
    default boolean isSegmentPerGroup() {
        return false;
    }

    /** The encryption of bytes in segments, if there is one. */
    default Encryption encryption() {
        return Encryption.NONE;
    }

    /**
     * Bytes that can still be written; {@link Long#MAX_VALUE} where the medium has no limit, or
     * none that is known. Other users of the same medium change it at any time. Fast, since it is
     * called before each group.
     *
     * @throws IOException if the medium does not say
     */
    default long usableBytes() throws IOException {
        return Long.MAX_VALUE;
    }

    /** The numbers of all segments, ascending. */
    List<Long> segments() throws IOException;

    /** Creates an empty segment; throws when it exists. */
    Writer create(long segment) throws IOException;

    /** Opens a segment for reading. */
    Reader open(long segment) throws IOException;

    /**
     * Cuts a segment to {@code sizeBytes} and makes its remaining bytes durable, since it is
     * unknown what an earlier process has synced. The bytes from {@code rewriteFrom} on are written
     * again first: after a failed sync an operating system may hold bytes in memory that it
     * believes to be on disk.
     */
    void seal(long segment, long sizeBytes, long rewriteFrom) throws IOException;

    /** Deletes a segment. */
    void delete(long segment) throws IOException;

    /**
     * Deletes segments, in parallel where each deletion is a request; there it may be called again
     * for segments that are already deleted.
     */
    default void delete(List<Long> segments) throws IOException {
        for (long segment : segments) {
            delete(segment);
        }
    }

    /** The file of a segment, for messages. */
    String describe(long segment);

    /** Closes what was opened, and releases the log for other processes. */
    @Override
    default void close() throws IOException {}

    /** Appends to one segment. */
    interface Writer extends AutoCloseable {
        /** Appends all remaining bytes of {@code buffers}, in order; moves their positions. */
        void append(List<ByteBuffer> buffers) throws IOException;

        /** Makes everything appended so far durable. */
        void sync() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Reads one segment. */
    interface Reader extends AutoCloseable {
        /** The present size in bytes. */
        long sizeBytes() throws IOException;

        /**
         * Reads from {@code position} until {@code target} is full; fails at the end of the file.
         */
        void read(long position, ByteBuffer target) throws IOException;

        @Override
        void close() throws IOException;
    }
}
