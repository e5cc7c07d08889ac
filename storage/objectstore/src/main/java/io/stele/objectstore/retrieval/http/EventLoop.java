package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.Timers;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that drives many non-blocking connections with one selector and runs tasks and timers
 * (AnyBlob's task-based receiver). Its tasks must not block.
 *
 * <p>{@link #execute}, {@link #schedule} and {@link #close} are thread-safe; everything else is for
 * its own thread.
 */
public final class EventLoop implements Timers, Closeable {
    /** Fits into the second-level cache of a core beside other data. */
    private static final int SCRATCH_BYTES = 256 << 10;

    private static final long JOIN_MILLIS = 10_000;

    private final LongSupplier nanoTime;
    private final Consumer<Throwable> uncaught;
    private final Selector selector;
    private final Thread thread;
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final PriorityQueue<Due> due = new PriorityQueue<>(); // its own thread
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);
    private volatile boolean closed;

    private EventLoop(ThreadFactory factory, LongSupplier nanoTime, Consumer<Throwable> uncaught)
            throws IOException {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
        this.selector = Selector.open();
        this.thread = factory.newThread(this::run);
    }

    /**
     * Starts an event loop on a new thread.
     *
     * @param uncaught called with failures of tasks
     */
    public static EventLoop start(
            ThreadFactory factory, LongSupplier nanoTime, Consumer<Throwable> uncaught)
            throws IOException {
        EventLoop loop = new EventLoop(factory, nanoTime, uncaught);
        loop.thread.start();
        return loop;
    }

    /** A connection that waits for its channel. */
    interface Watcher {
        /** The channel is ready for some of the requested operations. */
        void ready();

        /** The loop ends. */
        void closed();
    }

    private final class Due implements Comparable<Due>, Timer {
        private final long atNanos;
        private volatile @Nullable Runnable task;

        private Due(long atNanos, Runnable task) {
            this.atNanos = atNanos;
            this.task = task;
        }

        @Override
        public int compareTo(Due other) {
            return Long.signum(atNanos - other.atNanos);
        }

        private void fire() {
            Runnable present = task;
            if (present != null) {
                runSafely(present);
            }
        }

        /**
         * Cancels the timer, which stays in the queue until its time but does not refer to its task
         * any more.
         */
        @Override
        public void cancel() {
            task = null;
        }
    }

    /** Runs a task soon; false if the loop is closed, and then it may not run. */
    boolean execute(Runnable task) {
        inbox.add(task);
        if (Thread.currentThread() != thread && woken.compareAndSet(false, true)) {
            selector.wakeup();
        }
        return !closed;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Due timer = new Due(nanoTime.getAsLong() + delayNanos, task);
        if (Thread.currentThread() == thread) {
            due.add(timer);
        } else if (!execute(() -> due.add(timer))) {
            timer.fire(); // its waiter must learn that the loop has ended
        }
        return timer;
    }

    long now() {
        return nanoTime.getAsLong();
    }

    /** An off-heap buffer that any watcher may use during a call. */
    ByteBuffer scratch() {
        return scratch;
    }

    SelectionKey register(SocketChannel channel, int operations, Watcher watcher)
            throws IOException {
        return channel.register(selector, operations, watcher);
    }

    private void run() {
        while (!closed) {
            try {
                select();
                runInbox();
                runDue();
            } catch (Throwable failure) {
                report(failure);
            }
        }
        end();
    }

    private void select() throws IOException {
        if (!inbox.isEmpty()) {
            selector.selectNow();
        } else {
            Due next = due.peek();
            if (next == null) {
                selector.select();
            } else {
                long left = next.atNanos - nanoTime.getAsLong();
                if (left > 0) {
                    selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left + 999_999)));
                } else {
                    selector.selectNow();
                }
            }
        }
        woken.set(false);
        Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
        while (keys.hasNext()) {
            SelectionKey key = keys.next();
            keys.remove();
            runSafely(((Watcher) key.attachment())::ready);
        }
    }

    private void runInbox() {
        // Tasks that these tasks add wait for the next round, so connections get their turn
        List<Runnable> tasks = new ArrayList<>();
        for (Runnable task; (task = inbox.poll()) != null; ) {
            tasks.add(task);
        }
        tasks.forEach(this::runSafely);
    }

    private void runDue() {
        long now = nanoTime.getAsLong();
        for (Due next; (next = due.peek()) != null && next.atNanos - now <= 0; ) {
            due.remove();
            next.fire();
        }
    }

    private void runSafely(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            report(failure);
        }
    }

    private void end() {
        for (SelectionKey key : List.copyOf(selector.keys())) {
            runSafely(((Watcher) key.attachment())::closed);
        }
        runInbox();
        for (Due next; (next = due.poll()) != null; ) {
            next.fire();
        }
        try {
            selector.close();
        } catch (IOException e) {
            report(e);
        }
    }

    /** The loop continues, even if the handler fails. */
    private void report(Throwable failure) {
        try {
            uncaught.accept(failure);
        } catch (Throwable again) {
            failure.addSuppressed(again);
        }
    }

    /** Closes the connections, runs all timers at once, and waits for the end of the thread. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
