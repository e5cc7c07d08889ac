package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.protocol.SteleException;
import java.util.Optional;

/**
 * One client's reservation in the write budget, for bytes that are being received and are not yet
 * batches of the engine. Its memory is handed over to batches that are written or staged, so that
 * no byte counts twice. Guarded by its own lock.
 *
 * <p>Invariant: memory that was taken is returned exactly once, by this reservation or by the batch
 * that took it over; a closed reservation holds nothing.
 */
public final class WriteRoom implements AutoCloseable {
    private final WriteBudget budget;

    @GuardedBy("this")
    private long heldBytes;

    @GuardedBy("this")
    private boolean closed;

    WriteRoom(WriteBudget budget) {
        this.budget = requireNonNull(budget, "budget is null");
    }

    /**
     * Takes more memory without waiting; returns the BUSY error if there is none. A closed
     * reservation takes nothing and returns empty, since its client has disconnected.
     *
     * @param messageBytes bytes that the same message already holds; a message larger than the
     *     budget is admitted while nothing else is pending
     */
    public synchronized Optional<SteleException> grow(long bytes, long messageBytes) {
        check(bytes);
        if (closed) {
            return Optional.empty();
        }
        Optional<SteleException> busy = budget.take(bytes, messageBytes);
        if (busy.isEmpty()) {
            heldBytes += bytes;
        }
        return busy;
    }

    /** Returns memory to the budget, at most as much as is held. */
    public synchronized void shrink(long bytes) {
        check(bytes);
        long returned = Math.min(bytes, heldBytes);
        heldBytes -= returned;
        budget.giveBack(returned);
    }

    /**
     * Holds {@code after} bytes of a message instead of {@code before}; returns the BUSY error if
     * there is no room for it.
     */
    public Optional<SteleException> exchange(long before, long after) {
        if (after > before) {
            return grow(after - before, before);
        }
        shrink(before - after);
        return Optional.empty();
    }

    /** Whether this number of further bytes is free now. Nothing is taken. */
    public boolean hasRoomFor(long bytes) {
        return budget.hasRoomFor(bytes);
    }

    /**
     * Whether the next message of this size is likely to find room, or no pending write would free
     * enough. If not, {@code action} runs once when this becomes true, unless this reservation is
     * closed before. Nothing is taken, so a waiting client blocks nothing. Only one action waits at
     * a time.
     *
     * @param action must be short, as it runs where other writes end
     */
    public boolean mayReceive(long bytes, Runnable action) {
        synchronized (this) {
            if (closed || budget.mayReceive(this, bytes, action)) {
                return true;
            }
        }
        budget.wake(); // memory may have been returned between the check and the wait
        return false;
    }

    /**
     * Hands memory over to a batch, taking the missing bytes from the budget; returns the BUSY
     * error if there is no room.
     */
    public synchronized Optional<SteleException> handOver(long bytes) {
        long own = Math.min(bytes, heldBytes);
        if (own < bytes) {
            Optional<SteleException> busy = budget.take(bytes - own, own);
            if (busy.isPresent()) {
                return busy;
            }
        }
        heldBytes -= own;
        return Optional.empty();
    }

    /**
     * As {@link #handOver}, for rows that are staged.
     *
     * @throws SteleException BUSY: nothing was handed over
     */
    public synchronized void handOverStaged(long bytes) {
        long own = Math.min(bytes, heldBytes);
        budget.takeStaged(bytes, own);
        heldBytes -= own;
    }

    private static void check(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("Expected bytes from 0, found " + bytes);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        budget.forget(this);
        shrink(heldBytes);
    }
}
