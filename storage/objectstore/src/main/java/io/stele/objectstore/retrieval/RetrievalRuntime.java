package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The clock, randomness, timers and threads that a download manager uses.
 *
 * @param nanoTime never goes back
 * @param random spreads pauses; safe for many threads
 * @param timers call back in time
 * @param executor runs tasks that may wait shortly, such as the start of a request; takes every
 *     task
 */
public record RetrievalRuntime(
        LongSupplier nanoTime, RandomGenerator random, Timers timers, Executor executor) {
    public RetrievalRuntime {
        requireNonNull(nanoTime, "nanoTime is null");
        requireNonNull(random, "random is null");
        requireNonNull(timers, "timers is null");
        requireNonNull(executor, "executor is null");
    }
}
