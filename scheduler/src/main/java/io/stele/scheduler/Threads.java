package io.stele.scheduler;

import java.util.List;

/** A helper of pools that waits for the end of their threads. */
final class Threads {
    private Threads() {}

    /**
     * Joins every thread except the calling one. An interrupt ends the wait, and the caller's
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
