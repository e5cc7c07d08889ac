package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.protocol.Lsn;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue that passes changes from the fetcher's thread to the task's. It accepts a chunk
 * if it is empty or has room. Guarded by its own lock.
 *
 * <p>Invariant: a chunk that does not end its commit is followed by the next chunk of the same
 * shard.
 */
final class ChangeBuffer {
    /**
     * A shard whose history is leased. Its snapshot is read next, or, without one, its changes
     * follow.
     */
    record Held(int shard, Optional<LeasedSnapshot> snapshot) {}

    private final long capacityBytes;
    private final Object lock = new Object();
    private final ArrayDeque<ChangeChunk> chunks = new ArrayDeque<>();
    private final ArrayDeque<Held> held = new ArrayDeque<>();

    /**
     * The queued chunks of each shard; {@code reached} is how far the fetcher has read each shard.
     */
    private final Map<Integer, Integer> queued = new HashMap<>();

    private final Map<Integer, Lsn> reached = new HashMap<>();
    private long sizeBytes;
    private boolean isWoken;
    private boolean isClosed;
    private @Nullable IOException failure;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    ChangeBuffer(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    // ---- Methods of the fetcher

    /**
     * Adds a chunk; waits for room.
     *
     * @return false: there was no room in time, or the buffer is closed
     */
    boolean offer(ChangeChunk chunk, Duration wait) throws InterruptedException {
        CompletableFuture<Void> signal;
        long deadline = System.nanoTime() + wait.toNanos();
        synchronized (lock) {
            while (!isClosed && sizeBytes > 0 && sizeBytes + chunk.sizeBytes() > capacityBytes) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(lock, left);
            }
            if (isClosed) {
                return false;
            }
            chunks.add(chunk);
            sizeBytes += chunk.sizeBytes();
            queued.merge(chunk.shard(), 1, Integer::sum);
            lock.notifyAll();
            signal = available;
        }
        signal.complete(null);
        return true;
    }

    /** Whether the task has enough work. A fetcher that goes on may have to wait for room. */
    boolean isHalfFull() {
        synchronized (lock) {
            return sizeBytes >= capacityBytes / 2;
        }
    }

    /** Records that all changes of a shard up to an LSN have been added. */
    void reach(int shard, Lsn position) {
        synchronized (lock) {
            reached.put(shard, position);
        }
    }

    /** Announces that the history of a shard is leased. */
    void hold(Held shard) {
        signal(() -> held.add(shard));
    }

    /** Fails the task at its next call. */
    void fail(IOException failed) {
        requireNonNull(failed, "failed is null");
        signal(() -> failure = failed);
    }

    // ---- Methods of the task

    /** Wakes the task, so that it checks its state again. */
    void wake() {
        signal(() -> isWoken = true);
    }

    private void signal(Runnable change) {
        CompletableFuture<Void> signal;
        synchronized (lock) {
            change.run();
            lock.notifyAll();
            signal = available;
        }
        signal.complete(null);
    }

    /** A future that completes when there is something to take. */
    CompletableFuture<Void> available() {
        synchronized (lock) {
            boolean isEmpty = chunks.isEmpty() && held.isEmpty() && failure == null && !isWoken;
            if (isEmpty && available.isDone()) {
                available = new CompletableFuture<>();
            }
            return available;
        }
    }

    /** The next shard whose history is leased, if any has not been taken yet. */
    Optional<Held> takeHeld() {
        synchronized (lock) {
            return Optional.ofNullable(held.poll());
        }
    }

    /**
     * The next chunk, if there is one. A shard's chunks come only after its {@link #takeHeld}.
     *
     * @throws IOException the fetcher has failed
     */
    Optional<ChangeChunk> take() throws IOException {
        synchronized (lock) {
            isWoken = false;
            return Optional.ofNullable(next());
        }
    }

    /**
     * The chunk after one that did not end its commit; waits for it.
     *
     * @throws IOException the fetcher has failed, or was closed
     */
    ChangeChunk takeRest() throws IOException, InterruptedException {
        synchronized (lock) {
            while (true) {
                ChangeChunk next = next();
                if (next != null) {
                    return next;
                }
                if (isClosed) {
                    throw new IOException("Closed while a commit was being passed on");
                }
                lock.wait();
            }
        }
    }

    private @Nullable ChangeChunk next() throws IOException {
        IOException failed = failure;
        if (failed != null) {
            throw failed;
        }
        ChangeChunk next = chunks.poll();
        if (next != null) {
            sizeBytes -= next.sizeBytes();
            queued.merge(next.shard(), -1, Integer::sum);
            lock.notifyAll();
        }
        return next;
    }

    /**
     * The LSN up to which a shard has been read, if all its changes up to there have been taken;
     * empty: some of its chunks are queued, or nothing was read.
     */
    Optional<Lsn> drainedTo(int shard) {
        synchronized (lock) {
            return queued.getOrDefault(shard, 0) > 0
                    ? Optional.empty()
                    : Optional.ofNullable(reached.get(shard));
        }
    }

    /** Ends the waits of both sides; drops the queued chunks. */
    void close() {
        signal(
                () -> {
                    isClosed = true;
                    chunks.clear();
                });
    }
}
