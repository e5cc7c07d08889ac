package io.stele.cache.page;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

/**
 * A queue of fetched bytes that are written into the page store when no fetch is in progress.
 * Fetches have priority for processors and disks. Readers have received these bytes already. When
 * the queue is more than half full, or a fill found no room, the oldest fills are written at once.
 *
 * <p>Invariant: each fill that was added is written or dropped, once, and its room is returned.
 * Invariant: no lock is held while a fill is written or dropped. Thread-safe.
 */
final class WaitingFills {
    /**
     * Fetched bytes before their write.
     *
     * @param write writes the bytes; blocks for the disk
     * @param drop runs instead of {@code write}; does not block
     */
    record Fill(CachedFile file, int sizeBytes, Runnable write, Runnable drop) {}

    private final Executor executor;
    private final Executor later;
    private final Semaphore room;
    private final long maxWaitingBytes;

    // Guarded by this, all of these
    private final Queue<Fill> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private int fetches;
    private final Queue<Fill> due = new ArrayDeque<>(); // the executor has a task for each fill
    private final Set<Fill> begun = new HashSet<>(); // being written
    private boolean writing; // a task writes waiting fills, or will check whether it may
    private boolean closed;

    /**
     * @param maxBytes of all fills, including reserved bytes that have not arrived yet
     * @param executor runs tasks that block for the disk
     * @param later runs blocking tasks after a pause, because a scan still decodes the bytes of the
     *     last fetch
     */
    WaitingFills(int maxBytes, Executor executor, Executor later) {
        this.later = requireNonNull(later, "later is null");
        this.room = new Semaphore(maxBytes);
        this.maxWaitingBytes = maxBytes / 2;
        this.executor = requireNonNull(executor, "executor is null");
    }

    /**
     * Reserves room for a fill, if there is room; else starts to write some of the waiting fills.
     */
    boolean tryReserve(int bytes) {
        if (room.tryAcquire(bytes)) {
            return true;
        }
        long most;
        synchronized (this) {
            most = waitingBytes - bytes;
        }
        writeDownTo(most);
        return false;
    }

    /** Returns reserved room that no fill uses. */
    void release(int bytes) {
        room.release(bytes);
    }

    /** Called when a fetch begins; {@link #fetchEnded} must follow. */
    synchronized void fetchBegan() {
        fetches++;
    }

    /** Called when a fetch has ended and its fills were added. */
    void fetchEnded() {
        synchronized (this) {
            fetches--;
        }
        writeIfQuiet(later);
    }

    /**
     * Adds a fill for which room was reserved. If the executor runs tasks at once, or is closed,
     * the fill may be written or dropped when this returns.
     */
    void add(Fill fill) {
        synchronized (this) {
            waiting.add(fill);
            waitingBytes += fill.sizeBytes();
        }
        writeDownTo(maxWaitingBytes);
        writeIfQuiet(executor); // the readers of this fetch are not computing now
    }

    /** Writes the oldest fills in parallel, so that only the disk limits the rate. */
    private void writeDownTo(long bytes) {
        int tasks = 0;
        synchronized (this) {
            while (waitingBytes > bytes && !waiting.isEmpty()) {
                due.add(next());
                tasks++;
            }
        }
        for (; tasks > 0; tasks--) {
            try {
                executor.execute(() -> takeDue(true).ifPresent(this::write));
            } catch (RejectedExecutionException e) {
                takeDue(false).ifPresent(this::drop);
            }
        }
    }

    private synchronized Optional<Fill> takeDue(boolean isWritten) {
        Optional<Fill> fill = Optional.ofNullable(due.poll());
        if (isWritten) {
            fill.ifPresent(begun::add);
        }
        return fill;
    }

    private void writeIfQuiet(Executor tasks) {
        synchronized (this) {
            if (writing || !isDue()) {
                return;
            }
            writing = true;
        }
        try {
            tasks.execute(this::writeWhileQuiet);
        } catch (RejectedExecutionException e) {
            synchronized (this) {
                writing = false;
            }
            drop(_ -> true);
        }
    }

    /** The caller holds the lock. */
    private boolean isDue() {
        return (fetches == 0 || closed) && !waiting.isEmpty();
    }

    /**
     * Writes one fill after the other, because readers need the processors for the fetched data.
     */
    private void writeWhileQuiet() {
        boolean ended = false;
        try {
            while (true) {
                Fill fill;
                synchronized (this) {
                    if (!isDue()) {
                        writing = false;
                        ended = true;
                        return;
                    }
                    fill = next();
                    begun.add(fill);
                }
                write(fill);
            }
        } finally {
            if (!ended) {
                synchronized (this) {
                    writing = false;
                }
                // After a failure of the store the other fills are still written
                writeIfQuiet(executor);
            }
        }
    }

    /** The caller holds the lock. */
    private Fill next() {
        Fill fill = waiting.remove();
        waitingBytes -= fill.sizeBytes();
        return fill;
    }

    /** Runs a write that was added to {@link #begun}. */
    private void write(Fill fill) {
        try {
            fill.write().run();
        } finally {
            room.release(fill.sizeBytes());
            synchronized (this) {
                begun.remove(fill);
                notifyAll();
            }
        }
    }

    private void drop(Fill fill) {
        room.release(fill.sizeBytes());
        fill.drop().run();
    }

    /** Drops the waiting fills of a file. */
    void drop(CachedFile file) {
        drop(fill -> fill.file().id().equals(file.id()));
    }

    private void drop(Predicate<Fill> unwanted) {
        List<Fill> dropped = new ArrayList<>();
        synchronized (this) {
            for (Iterator<Fill> all = waiting.iterator(); all.hasNext(); ) {
                Fill fill = all.next();
                if (unwanted.test(fill)) {
                    all.remove();
                    waitingBytes -= fill.sizeBytes();
                    dropped.add(fill);
                }
            }
        }
        dropped.forEach(this::drop);
    }

    /**
     * Writes the waiting fills in this thread, and waits for the writes of other threads. Later
     * fills do not wait for fetches any more.
     */
    void close() {
        Queue<Fill> last = new ArrayDeque<>();
        List<Fill> others;
        synchronized (this) {
            closed = true;
            others = List.copyOf(begun);
            last.addAll(due);
            due.clear();
            while (!waiting.isEmpty()) {
                last.add(next());
            }
        }
        try {
            while (!last.isEmpty()) {
                write(last.remove());
            }
        } finally {
            last.forEach(this::drop);
            awaitEnd(others);
        }
    }

    private synchronized void awaitEnd(List<Fill> writes) {
        boolean interrupted = false;
        while (!Collections.disjoint(begun, writes)) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
