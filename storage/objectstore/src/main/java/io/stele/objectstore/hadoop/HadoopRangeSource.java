package io.stele.objectstore.hadoop;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ObjectVersion;
import io.stele.objectstore.retrieval.RangeRequest;
import io.stele.objectstore.retrieval.RangeSource;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * A range source that reads Hadoop files with blocking positional reads, each request on a thread
 * of the executor. Hadoop's client has tried a failed read with every replica, and on a reopened
 * stream, so it is not repeated here. Thread-safe.
 *
 * <p>The client's calls cannot be stopped: a cancelled request runs to its end, and its bytes are
 * dropped.
 */
final class HadoopRangeSource implements RangeSource {
    /** Stays in the processor's cache on its way into the reader's buffer. */
    private static final int PIECE_BYTES = 256 << 10;

    /** A name is never used twice for other content without a call of {@code forget}. */
    private static final ObjectVersion VERSION = new ObjectVersion(Long.MAX_VALUE, "");

    private final OpenStreams streams;
    private final Function<String, Path> files;
    private final Function<String, String> locations;
    private final Executor executor;
    private final Closeable timers;

    /**
     * @param locations of objects, for messages
     * @param executor has a thread for each request
     * @param timers closed with this
     */
    HadoopRangeSource(
            OpenStreams streams,
            Function<String, Path> files,
            Function<String, String> locations,
            Executor executor,
            Closeable timers) {
        this.streams = requireNonNull(streams, "streams is null");
        this.files = requireNonNull(files, "files is null");
        this.locations = requireNonNull(locations, "locations is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.timers = requireNonNull(timers, "timers is null");
    }

    @Override
    public Attempt start(RangeRequest request, Listener listener) {
        Read read = new Read(request, listener);
        executor.execute(read);
        return read;
    }

    @Override
    public void close() throws IOException {
        timers.close();
    }

    /** One request. Guarded by itself; the listener is called without the lock. */
    private final class Read implements Attempt, Runnable {
        private final RangeRequest request;
        private final Listener listener;
        private @Nullable ByteBuffer target;
        private boolean isOver;
        private volatile int done;

        Read(RangeRequest request, Listener listener) {
            this.request = request;
            this.listener = listener;
        }

        @Override
        public void cancel() {
            end(new IOException("Cancelled: " + request));
        }

        @Override
        public long receivedBytes() {
            return done;
        }

        @Override
        public void run() {
            String where = locations.apply(request.object());
            try {
                streams.read(files.apply(request.object()), input -> fill(input, where));
                end(null);
            } catch (IOException e) {
                end(HadoopFailures.ofLooking("read", where, e));
            } catch (RuntimeException e) {
                end(new IOException("Cannot read " + where, e));
            }
        }

        /**
         * Fills the target from the beginning, also after a failure of another stream, because the
         * new stream may be of another file.
         */
        private void fill(FSDataInputStream input, String where) throws IOException {
            int length = request.range().length();
            byte[] piece = new byte[Math.min(length, PIECE_BYTES)];
            boolean goesOn = true;
            for (int at = 0; goesOn && at < length; ) {
                long position = request.range().offset() + at;
                int count = input.read(position, piece, 0, Math.min(piece.length, length - at));
                if (count < 0) {
                    throw new EOFException(
                            "Expected %d bytes at offset %d, found the end of %s at %d"
                                    .formatted(length, request.range().offset(), where, position));
                }
                goesOn = take(piece, at, count);
                at += count;
            }
        }

        /** False if no more bytes are wanted. */
        private synchronized boolean take(byte[] piece, int at, int count) throws IOException {
            if (isOver) {
                return false;
            }
            ByteBuffer into = target;
            if (into == null) {
                into = listener.begins(VERSION, request.range().length());
                target = into;
            }
            into.put(into.position() + at, piece, 0, count);
            done = at + count;
            return true;
        }

        private void end(@Nullable IOException failure) {
            synchronized (this) {
                if (isOver) {
                    return;
                }
                isOver = true;
            }
            if (failure == null) {
                listener.completed();
            } else {
                listener.failed(failure);
            }
        }
    }
}
