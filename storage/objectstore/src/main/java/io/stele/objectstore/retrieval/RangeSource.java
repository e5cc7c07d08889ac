package io.stele.objectstore.retrieval;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An asynchronous source of byte ranges of objects: the interface of the download manager to a
 * remote store, for single requests without retries. Thread-safe.
 *
 * <p>Failures: {@link java.nio.file.NoSuchFileException} if the object does not exist. {@link
 * java.io.EOFException} if it ends before the range does, and {@link BehindEndException} if it ends
 * before the first byte of the range. {@link TransientReadException} if the same request may
 * succeed later. Any other {@link IOException} if it will not.
 */
public interface RangeSource extends Closeable {
    /**
     * Starts a request. May wait for credentials or an address, never for its answer.
     *
     * @param listener receives the answer, in any thread, perhaps before this returns
     */
    Attempt start(RangeRequest request, Listener listener);

    /** A request under way. Thread-safe. */
    interface Attempt {
        /**
         * Ends the request soon; its listener then receives a failure, unless the request has
         * already ended.
         */
        void cancel();

        /** Bytes of the range that have arrived. */
        long receivedBytes();
    }

    /**
     * The listener of one request. It is called by one thread at a time; {@link #completed} or
     * {@link #failed} once, as the last call: after that the buffer is not used any more.
     */
    interface Listener {
        /**
         * The answer begins.
         *
         * @param length of the response in bytes
         * @return the target of the bytes, with at least {@code length} bytes remaining
         * @throws IOException if the bytes are not needed any more; the request fails with this
         *     exception
         */
        ByteBuffer begins(ObjectVersion version, int length) throws IOException;

        /** All bytes are in the buffer, whose position may be anything. */
        void completed();

        void failed(IOException failure);
    }

    /** Closes its connections; requests in flight fail. */
    @Override
    default void close() throws IOException {}
}
