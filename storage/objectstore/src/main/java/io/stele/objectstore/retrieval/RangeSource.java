package io.stele.objectstore.retrieval;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A source of byte ranges of objects: a remote store at the level of single requests, without
 * retries. Thread-safe.
 *
 * <p>Failures: {@link java.nio.file.NoSuchFileException} if the object does not exist. {@link
 * java.io.EOFException} if it ends before the range does, and {@link BehindEndException} if it ends
 * before the first byte of the range. {@link TransientReadException} if the same request may
 * succeed later. Any other {@link IOException} if it will not.
 */
public interface RangeSource extends Closeable {
    /**
     * Starts a request. May wait for what is needed to send it (credentials, an address), never for
     * its answer.
     *
     * @param listener told of the answer, from any thread, perhaps before this returns
     */
    Attempt start(RangeRequest request, Listener listener);

    /** A request under way. Thread-safe. */
    interface Attempt {
        /**
         * Ends it, soon: its listener hears that it failed, unless it has heard of an end already.
         */
        void cancel();

        /** Bytes of the range that have arrived. */
        long receivedBytes();
    }

    /**
     * What hears of one request. It is called by one thread at a time; {@link #completed} or {@link
     * #failed} once, as the last: after that the buffer is not touched any more.
     */
    interface Listener {
        /**
         * The answer begins.
         *
         * @param length of the bytes that it has
         * @return where they go, with at least so many bytes remaining
         * @throws IOException if they are not wanted; the request fails with this
         */
        ByteBuffer begins(ObjectVersion version, int length) throws IOException;

        /** All bytes are in the buffer, whose position may be anything. */
        void completed();

        void failed(IOException failure);
    }

    /** Gives back connections; requests under way fail. */
    @Override
    default void close() throws IOException {}
}
