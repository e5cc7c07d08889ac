package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ReadingAhead;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An executor of the independent writes of one piece of work to an object store. The writes run
 * while the work prepares the next ones, where the store is worth reading ahead of; elsewhere each
 * runs at once. {@link #finish} waits for all of them. Used by one thread; guarded by its own lock,
 * which is not held while writing.
 *
 * <p>Invariant: at most {@value #MAX_PENDING} writes of at most {@value #MAX_PENDING_BYTES} bytes,
 * or one, are pending when a call returns. A caller that adds more does some itself, so that a call
 * ends even if no thread of the executor ever begins.
 */
public final class ParallelWrites implements AutoCloseable {
    /** Hides 30 ms a request behind the preparation of small files, each of some milliseconds. */
    static final int MAX_PENDING = 32;

    /** Of one piece of work, of which a node has a handful at a time. */
    static final long MAX_PENDING_BYTES = 8 << 20;

    private final Optional<ReadingAhead> ahead;
    private final Queue<Pending> queue = new ArrayDeque<>();
    private int running;
    private int helpers;
    private long pendingBytes;
    private @Nullable Throwable failure;

    private ParallelWrites(Optional<ReadingAhead> ahead) {
        this.ahead = requireNonNull(ahead, "ahead is null");
    }

    /** To a store. */
    public static ParallelWrites to(ObjectStore store) {
        return new ParallelWrites(store.readingAhead());
    }

    /** A write that blocks; it is run once or given up, not both. */
    public interface Write {
        void run() throws IOException;

        /** The write is not done; its resources are released. Failures are ignored. */
        default void giveUp() throws IOException {}
    }

    /**
     * Does a write, now or later.
     *
     * @param sizeBytes what it holds in memory until it is done
     * @throws IOException of this write or one before it; then this one is given up or done. So are
     *     unchecked exceptions and errors
     * @throws InterruptedIOException if this thread is interrupted while it waits
     */
    public void add(Write write, long sizeBytes) throws IOException {
        if (ahead.isEmpty()) {
            write.run();
            return;
        }
        synchronized (this) {
            queue.add(new Pending(write, sizeBytes));
            pendingBytes += sizeBytes;
        }
        help(ahead.get());
        while (isFull()) {
            workOrWait(this::isFull);
        }
        throwFailure();
    }

    /** Waits for all writes, of which this thread does some. */
    public void finish() throws IOException {
        while (isPending()) {
            workOrWait(this::isPending);
        }
        throwFailure();
    }

    /**
     * Gives up the writes that have not begun, and waits for the rest, unless this thread is
     * interrupted: then they continue, and their results are dropped.
     */
    @Override
    public void close() {
        List<Pending> left;
        synchronized (this) {
            left = new ArrayList<>(queue);
            queue.clear();
            left.forEach(pending -> pendingBytes -= pending.sizeBytes());
        }
        left.forEach(Pending::giveUp);
        try {
            awaitRunning();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void awaitRunning() throws InterruptedException {
        while (running > 0) {
            wait();
        }
    }

    private synchronized boolean isPending() {
        return running > 0 || failure == null && !queue.isEmpty();
    }

    private synchronized boolean isFull() {
        int pending = queue.size() + running;
        return failure == null
                && (pending > MAX_PENDING || pending > 1 && pendingBytes > MAX_PENDING_BYTES);
    }

    /**
     * @param isWanted whether there is still a reason to wait, looked at under the lock: what ended
     *     it, a failure too, may have notified before this thread waits
     */
    private void workOrWait(BooleanSupplier isWanted) throws IOException {
        Pending pending = take();
        if (pending != null) {
            run(pending);
            return;
        }
        synchronized (this) {
            if (!isWanted.getAsBoolean()) {
                return;
            }
            try {
                wait();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while writing");
            }
        }
    }

    private void help(ReadingAhead reading) {
        synchronized (this) {
            if (helpers == MAX_PENDING) {
                return;
            }
            helpers++;
        }
        boolean begins = false;
        try {
            begins = reading.tryHelp(this::work);
        } finally {
            if (!begins) {
                helperEnded();
            }
        }
    }

    private void work() {
        try {
            for (Pending pending = take(); pending != null; pending = take()) {
                run(pending);
            }
        } finally {
            helperEnded();
        }
    }

    private synchronized void helperEnded() {
        helpers--;
    }

    private synchronized @Nullable Pending take() {
        if (failure != null) {
            return null;
        }
        Pending pending = queue.poll();
        if (pending != null) {
            running++;
        }
        return pending;
    }

    private void run(Pending pending) {
        Throwable failed = null;
        try {
            pending.write().run();
        } catch (Throwable thrown) {
            failed = thrown; // for the caller that adds or finishes
        }
        ended(pending, failed);
    }

    private synchronized void ended(Pending pending, @Nullable Throwable failed) {
        running--;
        pendingBytes -= pending.sizeBytes();
        if (failure == null) {
            failure = failed;
        }
        notifyAll();
    }

    private synchronized void throwFailure() throws IOException {
        Failures.throwAny(failure, "A write failed");
    }

    private record Pending(Write write, long sizeBytes) {
        void giveUp() {
            try {
                write.giveUp();
            } catch (IOException | RuntimeException left) {
                // As of writers that are closed: the next start finds what they leave
            }
        }
    }
}
