package io.stele.scheduler;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * A fair pool whose workers have virtual time instead of threads: fairness and latency can be
 * measured without noise, and the same history runs twice the same way.
 *
 * <p>Each worker has a clock of its own, and the one that is furthest behind runs one task or one
 * step. A task reports how long it took with {@link #spend}. Input from outside is an event with a
 * time. Confined to one thread.
 */
public final class SimulatedWorkers {
    private final FairPool pool;
    private final long[] times;
    private final boolean[] parked;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::time).thenComparingLong(Event::sequence));
    private long eventCount;
    private long now;

    private record Event(long time, long sequence, Runnable action) {}

    public SimulatedWorkers(FairPoolOptions options, Consumer<Throwable> uncaught) {
        this.times = new long[options.workers()];
        this.parked = new boolean[options.workers()];
        this.pool = new FairPool(options, this::nowNanos, this::unpark, uncaught);
    }

    public ContextPool pool() {
        return pool;
    }

    /** The time of the worker or event that runs now. */
    public long nowNanos() {
        return now;
    }

    /** Called by a task: it took this long. */
    public void spend(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("nanos must not be negative, found " + nanos);
        }
        now += nanos;
    }

    /** Schedules an event at a time that no worker has passed. */
    public void at(long timeNanos, Runnable action) {
        events.add(new Event(timeNanos, eventCount++, action));
    }

    /**
     * Runs until every worker and event is at this time or later.
     *
     * @return steps and events so far that ran in this call
     */
    public long runUntil(long timeNanos) {
        long ran = 0;
        while (goOn(timeNanos)) {
            ran++;
        }
        return ran;
    }

    private boolean goOn(long limit) {
        int worker = furthestBehind();
        Event event = events.peek();
        if (event != null && (worker < 0 || event.time() <= times[worker])) {
            if (event.time() >= limit) {
                return false;
            }
            events.remove();
            now = event.time();
            event.action().run();
            return true;
        }
        if (worker < 0 || times[worker] >= limit) {
            return false;
        }
        step(worker);
        return true;
    }

    private void step(int index) {
        Worker worker = pool.workers().get(index);
        now = times[index];
        worker.attach(Thread.currentThread());
        boolean ran = worker.step();
        worker.attach(null);
        times[index] = now;
        if (!ran) {
            parked[index] = true;
            worker.park();
        }
    }

    private int furthestBehind() {
        int found = -1;
        for (int index = 0; index < times.length; index++) {
            if (!parked[index] && (found < 0 || times[index] < times[found])) {
                found = index;
            }
        }
        return found;
    }

    private void unpark(Worker worker) {
        parked[worker.index()] = false;
        times[worker.index()] = Math.max(times[worker.index()], now);
    }

    /** For tests, between steps: throws when an invariant of the pool does not hold. */
    void verifyInvariants() {
        pool.workers().forEach(Worker::verifyInvariants);
    }
}
