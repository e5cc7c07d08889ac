package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A blocking read of one range in the download manager, by its own request or by joining another
 * reader's request. Confined to the reader's thread.
 *
 * <p>Invariant: after {@link #await} or {@link #abandon} the target is not written to any more.
 */
final class PieceRead {
    private final FetchServices services;
    private final InFlightReads inFlightReads;
    private final RangeRequest request;
    private final ByteBuffer target;
    private InFlightReads.ReadRole role = new InFlightReads.ReadRole(null, null);
    private @Nullable RangeFetch fetch;

    /**
     * @param target has as many bytes remaining as the range
     */
    PieceRead(
            FetchServices services,
            InFlightReads inFlightReads,
            RangeRequest request,
            ByteBuffer target) {
        this.services = services;
        this.inFlightReads = inFlightReads;
        this.request = request;
        this.target = requireNonNull(target, "target is null");
    }

    /** Requests the range, or joins a read in flight. */
    void start() {
        role = inFlightReads.take(request.object(), request.range(), target);
        if (role.led() == null) {
            services.counters.sharedReads.increment();
        } else {
            fetch = new RangeFetch(services, request, new BufferTarget(target));
            fetch.start();
        }
    }

    /**
     * Waits until the bytes are in the target.
     *
     * @throws InterruptedIOException if this thread is interrupted; its request has ended then
     */
    ObjectVersion await() throws IOException {
        while (true) {
            InFlightReads.Follower joined = role.joined();
            if (joined == null) {
                return awaitOwn();
            }
            ObjectVersion version = get(joined.arrival());
            if (version != null) {
                role = new InFlightReads.ReadRole(null, null);
                services.counters.bytes.add(request.range().length());
                return version;
            }
            start(); // the leading read failed, perhaps for a reason that does not affect this one
        }
    }

    private ObjectVersion awaitOwn() throws IOException {
        RangeFetch own = requireNonNull(fetch);
        get(own.ended());
        return end(own).orElseThrow(() -> new IOException("Cancelled: " + request));
    }

    /** Copies the bytes to their place, and to the readers that joined. */
    private Optional<ObjectVersion> end(RangeFetch own) throws IOException {
        InFlightReads.InFlightRead led = requireNonNull(role.led());
        role = new InFlightReads.ReadRole(null, null);
        fetch = null;
        ObjectVersion version = null;
        try {
            version = own.finish().orElse(null);
            return Optional.ofNullable(version);
        } finally {
            inFlightReads.end(led, version);
        }
    }

    private <T> T get(CompletableFuture<T> future) throws InterruptedIOException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            abandon();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while reading " + request.object());
        } catch (ExecutionException e) {
            throw new IllegalStateException("Expected an end without a failure", e);
        }
    }

    /**
     * Gives up, and waits until the target is not written to any more; does nothing if the read has
     * ended.
     */
    void abandon() {
        InFlightReads.Follower joined = role.joined();
        if (joined != null && !inFlightReads.leave(joined)) {
            joined.arrival().join(); // its bytes are being copied
        }
        role = joined == null ? role : new InFlightReads.ReadRole(null, null);
        RangeFetch own = fetch;
        if (own != null) {
            own.cancel();
            own.ended().join();
            try {
                end(own);
            } catch (IOException notWanted) {
                // its result is not needed any more
            }
        }
    }
}
