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
 * The memory of writes that are not yet in memtables, over all shards and clients of a node: bytes
 * that are received, rows staged in transactions, and batches from their arrival to their
 * acknowledgement. Thread safe.
 *
 * <p>Invariant: memory that was taken is returned exactly once, however the write ends. Invariant:
 * staged rows, which may wait for their commit for long, leave a quarter to all others.
 */
public final class WriteBudget {
    private static final long RETRY_MILLIS = 500; // a tick of the maintenance

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong(); // staged rows among them
    private final AtomicLong stagedBytes = new AtomicLong();

    private final Map<WriteRoom, Wait> waiting = new LinkedHashMap<>(); // guarded by itself
    private volatile boolean anyWaiting;

    public WriteBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Room for the bytes of one client, which holds nothing yet. */
    public WriteRoom room() {
        return new WriteRoom(this);
    }

    /** The limit of staged rows, and so of one transaction. */
    public long stagedLimitBytes() {
        return limitBytes / 4 * 3;
    }

    /**
     * Takes memory; returns why there is none.
     *
     * @param ownBytes bytes of the same batch that are taken already
     */
    Optional<SteleException> take(long bytes, long ownBytes) {
        while (true) {
            long used = usedBytes.get();
            // A batch above the whole limit passes alone: it would wait for ever
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
     * @param ownBytes bytes among them that are taken already, and count as staged from now on
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

    /** Whether as many bytes would find room now. */
    boolean hasRoomFor(long bytes) {
        return usedBytes.get() + bytes <= limitBytes;
    }

    /**
     * Whether a client may send as much, behind those who wait; if not, {@code action} waits for
     * it. The caller wakes afterwards.
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
     * Staged rows end with a commit, for which the same client may have to send more first. So
     * where there is little else, waiting could last for ever, and the client is refused instead.
     */
    private boolean mayReceive(long bytes, long used) {
        return used + bytes <= limitBytes || used - stagedBytes.get() <= limitBytes / 8;
    }

    /** Lets those go on who have room now, the eldest first. */
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

    /** Removes the action that waits for this room. */
    void forget(WriteRoom room) {
        if (!anyWaiting) {
            return;
        }
        synchronized (waiting) {
            waiting.remove(room);
            anyWaiting = !waiting.isEmpty();
        }
        wake(); // those behind it
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
