package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A limit on the bytes that wait for an answer. Adding never waits; producers wait for room before
 * they produce, so the bound is exceeded by at most one open batch a shard. Thread-safe.
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

    /** Waits until there is room; a single read where there is. */
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
