package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A table of the ranges that are being read, for single-flight reads in the download manager. A
 * reader of the same bytes, or of a part of them, waits for the read in flight and sends no
 * request.
 *
 * <p>The reader that leads a read copies its bytes to those that joined, before it uses them
 * itself. Thread-safe: guarded by its own lock; bytes are copied outside the lock.
 *
 * <p>Failures are not shared: readers that joined a failed read send requests of their own.
 */
final class InFlightReads {
    private final Map<String, List<InFlightRead>> byObject = new HashMap<>();

    /** A range that a leading reader reads. Guarded by the table. */
    static final class InFlightRead {
        private final String object;
        private final ByteRange range;
        private final ByteBuffer target;
        private final List<Follower> followers = new ArrayList<>();

        private InFlightRead(String object, ByteRange range, ByteBuffer target) {
            this.object = object;
            this.range = range;
            this.target = target;
        }
    }

    /** A reader that waits for the read of another reader. */
    static final class Follower {
        private final InFlightRead read;
        private final ByteRange range;
        private final ByteBuffer target;
        private final CompletableFuture<@Nullable ObjectVersion> arrival =
                new CompletableFuture<>();

        private Follower(InFlightRead read, ByteRange range, ByteBuffer target) {
            this.read = read;
            this.range = range;
            this.target = target;
        }

        /** Completes when the bytes are there, with null if the read has failed. */
        CompletableFuture<@Nullable ObjectVersion> arrival() {
            return arrival;
        }
    }

    /**
     * The role of a reader: it leads a read of its bytes, or joins the read of another reader. One
     * of both is null.
     */
    record ReadRole(@Nullable InFlightRead led, @Nullable Follower joined) {}

    /** Joins a read in flight that includes these bytes, or begins one, which {@link #end} ends. */
    synchronized ReadRole take(String object, ByteRange range, ByteBuffer target) {
        for (InFlightRead read : byObject.getOrDefault(object, List.of())) {
            if (read.range.contains(range)) {
                Follower follower = new Follower(read, range, target);
                read.followers.add(follower);
                return new ReadRole(null, follower);
            }
        }
        InFlightRead read = new InFlightRead(object, range, target);
        byObject.computeIfAbsent(object, _ -> new ArrayList<>(1)).add(read);
        return new ReadRole(read, null);
    }

    /**
     * Ends a read.
     *
     * @param version of the bytes in the target; null if the read failed
     */
    void end(InFlightRead read, @Nullable ObjectVersion version) {
        List<Follower> followers;
        synchronized (this) {
            remove(read);
            followers = List.copyOf(read.followers);
            read.followers.clear();
        }
        for (Follower follower : followers) {
            if (version != null) {
                int at = (int) (follower.range.offset() - read.range.offset());
                ByteBuffer from = read.target.duplicate();
                follower.target
                        .duplicate()
                        .put(from.slice(from.position() + at, follower.range.length()));
            }
            follower.arrival.complete(version);
        }
    }

    /**
     * Leaves a read that is not waited for any more. If its bytes are being copied already, the
     * caller must still wait for the copy.
     *
     * @return whether the reader's target is not written to any more
     */
    synchronized boolean leave(Follower follower) {
        return follower.read.followers.remove(follower);
    }

    /** No reader joins present reads of an object any more, because it may have changed. */
    synchronized void forget(String object) {
        byObject.remove(requireNonNull(object, "object is null"));
    }

    private void remove(InFlightRead read) {
        List<InFlightRead> reads = byObject.get(read.object);
        if (reads != null && reads.remove(read) && reads.isEmpty()) {
            byObject.remove(read.object);
        }
    }

    synchronized int size() {
        return byObject.values().stream().mapToInt(List::size).sum();
    }
}
