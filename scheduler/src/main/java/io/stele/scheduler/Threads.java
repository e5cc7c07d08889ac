package io.stele.scheduler;

import java.util.List;

/** Waiting for the threads of a pool to end. */
final class Threads {
    private Threads() {}

    /**
     * Joins every thread but the caller's own; an interrupt ends the wait, and the caller's
     * interrupt status stays set.
     */
    static void joinAll(List<Thread> threads) {
        for (Thread thread : threads) {
            if (thread == Thread.currentThread()) {
                continue;
            }
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
