package io.stele.scheduler;

import java.util.List;

/** Waiting for the threads of a pool to end. */
final class Threads {
    private Threads() {}

    /**
     * Joins every thread but the caller's own; an interrupt is kept for the caller and ends the
     * wait.
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
