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
 * The hand-over of changes from the fetcher's thread to the task's. It takes a chunk while it is
 * empty, or has room. Guarded by its own lock.
 *
 * <p>Invariant: behind a chunk that does not end its commit comes the next one of the same shard.
 */
final class ChangeBuffer {
    /** A shard whose history is held: its snapshot is to be read, or its changes come next. */
    record Held(int shard, Optional<LeasedSnapshot> snapshot) {}

    private final long capacityBytes;
    private final Object lock = new Object();
    private final ArrayDeque<ChangeChunk> chunks = new ArrayDeque<>();
    private final ArrayDeque<Held> held = new ArrayDeque<>();

    /** Of each shard the chunks that are here, and how far it was read when there were none. */
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

    // ---- The fetcher's side

    /**
     * Adds a chunk.
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

    /** Whether the task has enough to do. Who does not wait for that may have to wait for room. */
    boolean isHalfFull() {
        synchronized (lock) {
            return sizeBytes >= capacityBytes / 2;
        }
    }

    /** Every change of a shard up to here has been added. */
    void reach(int shard, Lsn position) {
        synchronized (lock) {
            reached.put(shard, position);
        }
    }

    /** The history of a shard is held. */
    void hold(Held shard) {
        signal(() -> held.add(shard));
    }

    /** Lets the task fail. */
    void fail(IOException failed) {
        requireNonNull(failed, "failed is null");
        signal(() -> failure = failed);
    }

    // ---- The task's side

    /** Lets the task look again. */
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

    /** Completes when there is something to take. */
    CompletableFuture<Void> available() {
        synchronized (lock) {
            boolean isEmpty = chunks.isEmpty() && held.isEmpty() && failure == null && !isWoken;
            if (isEmpty && available.isDone()) {
                available = new CompletableFuture<>();
            }
            return available;
        }
    }

    /** The next shard whose history is held, of those that were not taken. */
    Optional<Held> takeHeld() {
        synchronized (lock) {
            return Optional.ofNullable(held.poll());
        }
    }

    /**
     * The next chunk if there is one. Chunks of a shard come after {@link #takeHeld} has had it.
     *
     * @throws IOException the fetcher failed
     */
    Optional<ChangeChunk> take() throws IOException {
        synchronized (lock) {
            isWoken = false;
            return Optional.ofNullable(next());
        }
    }

    /**
     * The chunk behind one that did not end its commit; waits for it.
     *
     * @throws IOException the fetcher failed, or was closed
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
     * The LSN up to which a shard has been read, if all of its changes up to there have been taken;
     * empty: there are chunks of it, or nothing was read.
     */
    Optional<Lsn> drainedTo(int shard) {
        synchronized (lock) {
            return queued.getOrDefault(shard, 0) > 0
                    ? Optional.empty()
                    : Optional.ofNullable(reached.get(shard));
        }
    }

    /** Lets both sides go. */
    void close() {
        signal(
                () -> {
                    isClosed = true;
                    chunks.clear();
                });
    }
}
