package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.protocol.SteleException;
import java.util.Optional;

/**
 * Memory of the write budget that one client's bytes hold while they are received, before they are
 * batches of the engine. A batch that is written or staged takes its part over, so that no byte
 * counts twice. Guarded by its own lock.
 *
 * <p>Invariant: memory that was taken is returned exactly once, by this room or by the batch that
 * took it over; a closed room holds nothing.
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
     * Takes more, without waiting; returns why there is none. A closed room takes nothing: its
     * client has gone.
     *
     * @param messageBytes bytes of the same message that are held already: one that is larger than
     *     the budget passes while there is nothing else
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

    /** Returns a part, or all that there is where that is less. */
    public synchronized void shrink(long bytes) {
        check(bytes);
        long returned = Math.min(bytes, heldBytes);
        heldBytes -= returned;
        budget.giveBack(returned);
    }

    /**
     * Holds {@code after} bytes of a message instead of {@code before}; returns why there is no
     * room for it.
     */
    public Optional<SteleException> exchange(long before, long after) {
        if (after > before) {
            return grow(after - before, before);
        }
        shrink(before - after);
        return Optional.empty();
    }

    /** Whether as much more would find room now. Nothing is taken. */
    public boolean hasRoomFor(long bytes) {
        return budget.hasRoomFor(bytes);
    }

    /**
     * Whether the next message of this size is likely to find room, or nothing is on its way whose
     * end would make some. If not, {@code action} runs once when it is so, unless this room is
     * closed before. Nothing is taken: a client that waits holds nothing up. Only one action waits
     * at a time.
     *
     * @param action must be short, as it runs where other writes end
     */
    public boolean mayReceive(long bytes, Runnable action) {
        synchronized (this) {
            if (closed || budget.mayReceive(this, bytes, action)) {
                return true;
            }
        }
        budget.wake(); // what was given back between the look and the wait
        return false;
    }

    /** Hands a part over to a batch, and takes what is missing; returns why there is none. */
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
     * The same for rows that are staged.
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
