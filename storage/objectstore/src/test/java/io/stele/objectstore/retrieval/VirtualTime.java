package io.stele.objectstore.retrieval;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** Time that goes on only from one event to the next. Confined to one thread. */
final class VirtualTime implements Timers, Executor, LongSupplier {
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));
    private long now = 1_000_000_000_000L;
    private long numbers;
    private LongSupplier latenessNanos = () -> 0;

    private record Event(long atNanos, long number, Runnable task) {}

    @Override
    public long getAsLong() {
        return now;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        long atNanos = now + Math.max(0, delayNanos) + latenessNanos.getAsLong();
        Event event = new Event(atNanos, numbers++, task);
        events.add(event);
        return () -> events.remove(event);
    }

    @Override
    public void execute(Runnable task) {
        schedule(0, task);
    }

    /** From now on each event comes later than it is due, as in a process that is busy. */
    void setLateness(LongSupplier nanos) {
        latenessNanos = nanos;
    }

    /** Lets everything happen. */
    void run() {
        runUntil(Long.MAX_VALUE);
    }

    /** Lets everything happen up to then. */
    void runUntil(long nanos) {
        while (!events.isEmpty() && events.peek().atNanos() <= nanos) {
            Event next = events.remove();
            now = next.atNanos();
            next.task().run();
        }
        now = nanos == Long.MAX_VALUE ? now : Math.max(now, nanos);
    }

    int pending() {
        return events.size();
    }
}
