package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A limit of a client on the bytes of its writers' unanswered batches. Adding never waits;
 * producers wait for room before they produce. So the limit is exceeded by at most one open batch
 * for each shard. Thread-safe.
 */
final class InFlightBudget {
    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    InFlightBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    void add(long added) {
        bytes.addAndGet(added);
    }

    void release(long released) {
        long after = bytes.addAndGet(-released);
        if (after < maxBytes && after + released >= maxBytes) {
            lock.lock();
            try {
                room.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    long bytes() {
        return bytes.get();
    }

    /** Waits until there is room; costs a single read if there is. */
    void awaitRoom() {
        if (bytes.get() >= maxBytes) {
            await();
        }
    }

    private void await() {
        lock.lock();
        try {
            while (bytes.get() >= maxBytes) {
                room.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(
                    ErrorCode.INTERNAL, "Interrupted while waiting for earlier writes", e);
        } finally {
            lock.unlock();
        }
    }
}
