package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory budget of all pending writes of a node, over all shards and clients. It counts bytes
 * that are being received, rows staged in transactions, and batches from their arrival to their
 * acknowledgement. Thread-safe.
 *
 * <p>Invariant: memory that was taken is returned exactly once, however the write ends. Invariant:
 * staged rows, which may wait long for their commit, use at most three quarters of the budget.
 */
public final class WriteBudget {
    private static final long RETRY_MILLIS = 500; // one tick of maintenance

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong(); // staged rows included
    private final AtomicLong stagedBytes = new AtomicLong();

    private final Map<WriteRoom, Wait> waiting = new LinkedHashMap<>(); // guarded by itself
    private volatile boolean anyWaiting;

    public WriteBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** A new reservation for the bytes of one client, which holds nothing yet. */
    public WriteRoom room() {
        return new WriteRoom(this);
    }

    /** The limit of all staged rows, and thus of one transaction, in bytes. */
    public long stagedLimitBytes() {
        return limitBytes / 4 * 3;
    }

    /**
     * Takes memory without waiting; returns the BUSY error if there is none.
     *
     * @param ownBytes bytes that the same batch has already taken
     */
    Optional<SteleException> take(long bytes, long ownBytes) {
        while (true) {
            long used = usedBytes.get();
            // A batch above the whole limit is admitted alone: it would wait for ever
            if (bytes > 0 && used + bytes > limitBytes && used > ownBytes) {
                return Optional.of(
                        busy(limitBytes, "batches on their way and staged rows", used, bytes));
            }
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return Optional.empty();
            }
        }
    }

    /**
     * Takes memory for rows that are staged.
     *
     * @param ownBytes the part of {@code bytes} that is already taken, and counts as staged from
     *     now on
     * @throws SteleException BUSY: nothing was taken
     */
    public void takeStaged(long bytes, long ownBytes) {
        while (true) {
            long staged = stagedBytes.get();
            if (staged + bytes > stagedLimitBytes()) {
                throw busy(stagedLimitBytes(), "staged rows", staged, bytes);
            }
            if (stagedBytes.compareAndSet(staged, staged + bytes)) {
                break;
            }
        }
        take(bytes - ownBytes, ownBytes)
                .ifPresent(
                        busy -> {
                            stagedBytes.addAndGet(-bytes);
                            throw busy;
                        });
    }

    private static SteleException busy(long limit, String what, long used, long bytes) {
        return SteleException.busy(
                "Expected at most %d bytes of %s (stele.write.max-pending-size), found %d and %d more"
                        .formatted(limit, what, used, bytes),
                RETRY_MILLIS);
    }

    public void giveBack(long bytes) {
        usedBytes.addAndGet(-bytes);
        wake();
    }

    public void giveBackStaged(long bytes) {
        stagedBytes.addAndGet(-bytes);
        giveBack(bytes);
    }

    /** Whether this number of bytes is free now. */
    boolean hasRoomFor(long bytes) {
        return usedBytes.get() + bytes <= limitBytes;
    }

    /**
     * Whether a client may send this number of bytes, after the clients that already wait. If not,
     * {@code action} is queued; the caller must then call {@link #wake}.
     */
    boolean mayReceive(WriteRoom room, long bytes, Runnable action) {
        Wait wait = new Wait(bytes, action);
        synchronized (waiting) {
            if (waiting.isEmpty() && mayReceive(bytes, usedBytes.get())) {
                return true;
            }
            waiting.put(room, wait);
            anyWaiting = true;
            return false;
        }
    }

    /**
     * Staged rows are released by a commit, before which the same client may have to send more.
     * Where staged rows hold most of the budget, waiting could last for ever: the client may send,
     * and its message is refused if there is no room.
     */
    private boolean mayReceive(long bytes, long used) {
        return used + bytes <= limitBytes || used - stagedBytes.get() <= limitBytes / 8;
    }

    /** Runs the queued actions for whose bytes there is room now, oldest first. */
    void wake() {
        if (!anyWaiting) {
            return;
        }
        List<Wait> ready = new ArrayList<>();
        synchronized (waiting) {
            long used = usedBytes.get();
            Iterator<Wait> eldest = waiting.values().iterator();
            while (eldest.hasNext()) {
                Wait next = eldest.next();
                if (!mayReceive(next.bytes(), used)) {
                    break;
                }
                used += next.bytes();
                ready.add(next);
                eldest.remove();
            }
            anyWaiting = !waiting.isEmpty();
        }
        ready.forEach(wait -> wait.action().run());
    }

    /** Removes the queued action of a reservation. */
    void forget(WriteRoom room) {
        if (!anyWaiting) {
            return;
        }
        synchronized (waiting) {
            waiting.remove(room);
            anyWaiting = !waiting.isEmpty();
        }
        wake(); // the actions queued behind it
    }

    public long usedBytes() {
        return usedBytes.get();
    }

    private record Wait(long bytes, Runnable action) {
        private Wait {
            requireNonNull(action, "action is null");
        }
    }
}
