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
 * An executor of the independent writes of one piece of work to an object store. If the store has
 * read-ahead, the writes run on other threads while the work prepares the next ones; else each runs
 * at once on the caller's thread. {@link #finish} waits for all of them. Used by one thread;
 * guarded by its own lock, which is not held while writing.
 *
 * <p>Invariant: at most {@value #MAX_PENDING} writes of at most {@value #MAX_PENDING_BYTES} bytes,
 * or one larger write, are pending when a call returns. A caller that adds more runs some writes
 * itself, so that a call ends even if no thread of the executor ever begins.
 */
public final class ParallelWrites implements AutoCloseable {
    /** Hides 30 ms a request behind the preparation of small files, each of some milliseconds. */
    static final int MAX_PENDING = 32;

    /** The limit of one piece of work; a node runs a handful of them at a time. */
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

    /** The executor for writes to a store. */
    public static ParallelWrites to(ObjectStore store) {
        return new ParallelWrites(store.readingAhead());
    }

    /** A write that blocks; it is run once or given up, not both. */
    public interface Write {
        void run() throws IOException;

        /** Releases the resources of a write that will not run. Failures are ignored. */
        default void giveUp() throws IOException {}
    }

    /**
     * Runs a write, now or later.
     *
     * @param sizeBytes bytes of memory that the write holds until it has run
     * @throws IOException of this write or an earlier one; this write has then run or been given
     *     up. Unchecked exceptions and errors are thrown, too
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
     * @param isWanted whether there is still a reason to wait. Checked under the lock, because the
     *     event that ends the wait, such as a failure, may notify before this thread waits
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
