package io.stele.paimon.lease;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A timer whose clock the test moves. Confined to one thread. */
public final class ManualChecks implements DelayedTasks {
    private record Task(Runnable task, long atNanos) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atNanos));
    private long nanos = 5;

    /** The time of the clock. */
    public long nanos() {
        return nanos;
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
        tasks.add(new Task(task, nanos + delayNanos));
    }

    /** Moves the clock, and runs what is due on the way. */
    public void pass(Duration time) {
        long end = nanos + time.toNanos();
        while (!tasks.isEmpty() && tasks.element().atNanos() <= end) {
            Task next = tasks.remove();
            nanos = Math.max(nanos, next.atNanos());
            next.task().run();
        }
        nanos = Math.max(nanos, end);
    }

    /** Moves the clock alone, as if no thread ran what is due. */
    public void passWithoutChecks(Duration time) {
        nanos += time.toNanos();
    }

    /** Whether a task is to run at some time. */
    public boolean hasTasks() {
        return !tasks.isEmpty();
    }
}
