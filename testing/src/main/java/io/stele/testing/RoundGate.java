package io.stele.testing;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/**
 * A gate that holds requests until no other has come for a while, and then releases all of them.
 * Guarded by its own lock.
 */
final class RoundGate {
    private long quietNanos; // 0: nothing is held
    private long lastNanos = System.nanoTime(); // a request came or went
    private long round;
    private int present;

    /**
     * Releases the held requests, and sets the quiet time for the next ones; 0: nothing is held.
     */
    synchronized void hold(long newQuietNanos) {
        if (newQuietNanos < 0) {
            throw new IllegalArgumentException(
                    "Expected a time of at least 0, found " + newQuietNanos);
        }
        quietNanos = newQuietNanos;
        round++;
        notifyAll();
    }

    /** A request has come: returns when it may go. If this fails, it is over. */
    synchronized void enter() throws InterruptedIOException {
        present++;
        try {
            awaitRound();
        } catch (InterruptedIOException interrupted) {
            leave();
            throw interrupted;
        }
    }

    private synchronized void awaitRound() throws InterruptedIOException {
        lastNanos = System.nanoTime();
        long mine = round;
        while (quietNanos > 0 && round == mine) {
            long left = lastNanos + quietNanos - System.nanoTime();
            if (left <= 0) {
                round++;
                notifyAll();
            } else {
                await(left);
            }
        }
    }

    /** A request that has come is over. */
    synchronized void leave() {
        present--;
        lastNanos = System.nanoTime();
        notifyAll();
    }

    /**
     * Returns when there was no request for so long.
     *
     * @param limitNanos it fails when it has waited so long
     */
    synchronized void awaitIdle(long idleNanos, long limitNanos) throws IOException {
        long start = System.nanoTime();
        for (long left = idleNanos; left > 0; ) {
            long limitLeft = limitNanos - (System.nanoTime() - start);
            if (limitLeft <= 0) {
                throw new IOException(
                        "Expected no request for %d ms, found %d in flight after %d ms"
                                .formatted(
                                        TimeUnit.NANOSECONDS.toMillis(idleNanos),
                                        present,
                                        TimeUnit.NANOSECONDS.toMillis(limitNanos)));
            }
            await(Math.min(left, limitLeft));
            left = present > 0 ? idleNanos : lastNanos + idleNanos - System.nanoTime();
        }
    }

    private void await(long nanos) throws InterruptedIOException {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while requests are awaited");
        }
    }
}
