package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The time limits of all calls of a run. A call that exceeds its limit is reported once, with a
 * dump of the servers, and its thread is interrupted. Thread-safe.
 */
final class Deadlines implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(250);

    private final Duration limit;
    private final Consumer<String> passed;
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();
    private final Thread watcher;
    private volatile boolean closed;

    /**
     * @param limit of every call
     * @param passed called with each call that lasted longer
     */
    Deadlines(Duration limit, Consumer<String> passed) {
        this.limit = requireNonNull(limit, "limit is null");
        this.passed = requireNonNull(passed, "passed is null");
        this.watcher = Thread.ofPlatform().daemon().name("deadlines").start(this::watch);
    }

    /** Does something that must end within the limit, however it ends. */
    <T> T within(String what, Callable<T> task) throws Exception {
        Call call = new Call(what, System.nanoTime(), Thread.currentThread());
        calls.add(call);
        try {
            return task.call();
        } finally {
            calls.remove(call);
            // Behind the end of the call an interrupt would meet the next one
            if (call.isPassed.get()) {
                Thread.interrupted();
            }
        }
    }

    private void watch() {
        while (!closed) {
            long now = System.nanoTime();
            for (Call call : calls) {
                if (now - call.startNanos > limit.toNanos()
                        && call.isPassed.compareAndSet(false, true)) {
                    passed.accept(
                            "no answer within %d s: %s".formatted(limit.toSeconds(), call.what));
                    if (calls.contains(call)) {
                        call.thread.interrupt();
                    }
                }
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
            } catch (InterruptedException e) {
                return; // closed
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        watcher.interrupt();
    }

    private static final class Call {
        private final String what;
        private final long startNanos;
        private final Thread thread;
        private final AtomicBoolean isPassed = new AtomicBoolean();

        Call(String what, long startNanos, Thread thread) {
            this.what = what;
            this.startNanos = startNanos;
            this.thread = thread;
        }
    }
}
