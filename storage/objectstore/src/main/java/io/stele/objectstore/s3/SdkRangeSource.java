package io.stele.objectstore.s3;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.objectstore.retrieval.ContentRange;
import io.stele.objectstore.retrieval.ObjectVersion;
import io.stele.objectstore.retrieval.RangeRequest;
import io.stele.objectstore.retrieval.RangeSource;
import io.stele.objectstore.retrieval.TransientReadException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * A range source that reads S3 objects with the SDK's blocking client, each request on a thread of
 * the executor. It is for proxies and other features that Stele's own connections do not support.
 * Thread-safe.
 */
final class SdkRangeSource implements RangeSource {
    private static final int PIECE_BYTES = 64 << 10;

    private final S3Client client;
    private final String bucket;
    private final Function<String, String> keys;
    private final Function<String, String> locations;
    private final S3Checksums checksums;
    private final Executor executor;
    private final Closeable timers;

    /**
     * @param client sends each request once
     * @param locations of objects, for messages
     * @param executor has a thread for each request, which may be interrupted
     * @param timers closed with this
     */
    SdkRangeSource(
            S3Client client,
            String bucket,
            Function<String, String> keys,
            Function<String, String> locations,
            S3Checksums checksums,
            Executor executor,
            Closeable timers) {
        this.client = requireNonNull(client, "client is null");
        this.bucket = requireNonNull(bucket, "bucket is null");
        this.keys = requireNonNull(keys, "keys is null");
        this.locations = requireNonNull(locations, "locations is null");
        this.checksums = requireNonNull(checksums, "checksums is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.timers = requireNonNull(timers, "timers is null");
    }

    @Override
    public void close() throws IOException {
        timers.close();
    }

    @Override
    public Attempt start(RangeRequest request, Listener listener) {
        Get get = new Get(request, listener);
        executor.execute(get);
        return get;
    }

    /** One request. Only its cancellation interrupts the thread that runs it. */
    private final class Get implements Attempt, Runnable {
        private final RangeRequest request;
        private final Listener listener;
        private volatile long receivedBytes;

        @GuardedBy("this")
        private @Nullable Thread thread;

        @GuardedBy("this")
        private boolean cancelled;

        Get(RangeRequest request, Listener listener) {
            this.request = request;
            this.listener = listener;
        }

        @Override
        public synchronized void cancel() {
            cancelled = true;
            if (thread != null) {
                thread.interrupt();
            }
        }

        @Override
        public long receivedBytes() {
            return receivedBytes;
        }

        @Override
        public void run() {
            IOException failure = null;
            synchronized (this) {
                thread = Thread.currentThread();
            }
            try {
                if (!isCancelled()) {
                    read();
                }
            } catch (SdkException e) {
                failure = S3Refusal.explain(e, locations.apply(request.object()));
            } catch (IOException e) {
                failure = e;
            } catch (UncheckedIOException e) {
                failure = new TransientReadException("Cannot read " + request, e);
            } finally {
                synchronized (this) {
                    thread = null;
                    if (cancelled) {
                        boolean ignored = Thread.interrupted(); // it was for this request
                    }
                }
            }
            if (failure == null && isCancelled()) {
                failure = new IOException("Cancelled: " + request);
            }
            if (failure == null) {
                listener.completed();
            } else {
                listener.failed(failure);
            }
        }

        private synchronized boolean isCancelled() {
            return cancelled;
        }

        private void read() throws IOException {
            try (ResponseInputStream<GetObjectResponse> body =
                    client.getObject(
                            get ->
                                    get.bucket(bucket)
                                            .key(keys.apply(request.object()))
                                            .range(request.range().header())
                                            // The client compares the checksum itself
                                            .checksumMode(
                                                    checksums.isAskedFor(request)
                                                            ? ChecksumMode.ENABLED
                                                            : null))) {
                boolean whole = false;
                try {
                    copy(body, body.response());
                    whole = true;
                } catch (SdkClientException e) {
                    // The failure of a body that had begun, such as a wrong checksum
                    throw new TransientReadException(
                            "Cannot read the answer for %s: %s"
                                    .formatted(locations.apply(request.object()), e.getMessage()),
                            e);
                } finally {
                    if (!whole) {
                        body.abort(); // closing would read the rest
                    }
                }
            }
        }

        private void copy(InputStream body, GetObjectResponse answer) throws IOException {
            String where = locations.apply(request.object());
            ContentRange part = ContentRange.parse(String.valueOf(answer.contentRange()));
            long length = requireNonNull(answer.contentLength(), "no length");
            request.checkAnswer(part, length, where);
            ByteBuffer target =
                    listener.begins(
                            new ObjectVersion(
                                    part.sizeBytes(),
                                    Optional.ofNullable(answer.eTag()).orElse("")),
                            (int) length);
            fill(body, target, (int) length, where);
            // The client compares checksums when it sees the end
            if (checksums.isAskedFor(request) && body.read() >= 0) {
                throw new TransientReadException(
                        "Expected %d bytes, found more for %s".formatted(length, where));
            }
        }

        private void fill(InputStream body, ByteBuffer target, int length, String where)
                throws IOException {
            byte[] piece = target.hasArray() ? new byte[0] : new byte[PIECE_BYTES];
            for (int done = 0; done < length; ) {
                int count;
                try {
                    count =
                            target.hasArray()
                                    ? body.read(
                                            target.array(),
                                            target.arrayOffset() + target.position(),
                                            length - done)
                                    : body.read(piece, 0, Math.min(piece.length, length - done));
                } catch (IOException e) {
                    throw new TransientReadException("Cannot read the answer for " + where, e);
                }
                if (count < 0) {
                    throw new TransientReadException(
                            "Expected %d bytes, found the end of the answer after %d for %s"
                                    .formatted(length, done, where));
                }
                if (target.hasArray()) {
                    target.position(target.position() + count);
                } else {
                    target.put(piece, 0, count);
                }
                done += count;
                receivedBytes = done;
            }
        }
    }
}
