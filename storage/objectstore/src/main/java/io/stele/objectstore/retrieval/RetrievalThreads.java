package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The thread factories and clocks of the retrieval layer, and its handler of uncaught errors.
 *
 * @param loops makes the few threads that drive connections and never wait for anything else
 * @param tasks makes a thread for each task that may wait, such as virtual ones
 * @param nanoTime never goes back
 * @param wallClock by which requests are signed
 * @param uncaught receives the errors that no read reports
 */
public record RetrievalThreads(
        ThreadFactory loops,
        ThreadFactory tasks,
        LongSupplier nanoTime,
        InstantSource wallClock,
        Consumer<Throwable> uncaught) {
    public RetrievalThreads {
        requireNonNull(loops, "loops is null");
        requireNonNull(tasks, "tasks is null");
        requireNonNull(nanoTime, "nanoTime is null");
        requireNonNull(wallClock, "wallClock is null");
        requireNonNull(uncaught, "uncaught is null");
    }

    /** Runs a task on a thread of its own. */
    public void run(Runnable task) {
        tasks.newThread(task).start();
    }
}
