package io.stele.engine.garbage;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A queue of deletions in the object store, each with the time when it is due. One that fails is
 * due again after a pause, which doubles with each failure, and does not delay the others.
 *
 * <p>After {@value #MAX_FAILURES_IN_A_ROW} failures in a row the store is taken to be unavailable,
 * and the other deletions wait for the next run. Bounded: while too many that failed are queued,
 * others that fail are removed; what they delete is found at the next start. Guarded by itself.
 *
 * @param <T> the type of a deletion
 */
final class DeletionQueue<T> {
    static final long MIN_PAUSE_MILLIS = 10_000; // an outage of the store is rarely shorter
    static final long MAX_PAUSE_MILLIS = 600_000; // few requests for what can never be deleted
    static final int MAX_FAILURES_IN_A_ROW = 3; // each may need the timeout of a request
    private static final int MAX_FAILED = 100_000; // some 30 MB
    private static final int MAX_SUPPRESSED = 10; // enough to see what they have in common

    /** A deletion; may block. */
    @FunctionalInterface
    interface Task<T> {
        void run(T deletion) throws IOException;
    }

    /** A queued deletion; the number orders those that are due at one time. */
    private record Entry<T>(T deletion, long dueMillis, long number, long pauseMillis) {}

    private final int maxFailed;

    @GuardedBy("this")
    private final PriorityQueue<Entry<T>> entries =
            new PriorityQueue<>(
                    Comparator.<Entry<T>>comparingLong(Entry::dueMillis)
                            .thenComparingLong(Entry::number));

    @GuardedBy("this")
    private long nextNumber;

    @GuardedBy("this")
    private int failedCount; // of the entries

    DeletionQueue() {
        this(MAX_FAILED);
    }

    /**
     * @param maxFailed number of queued deletions that failed
     */
    DeletionQueue(int maxFailed) {
        this.maxFailed = maxFailed;
    }

    synchronized void add(T deletion, long dueMillis) {
        entries.add(new Entry<>(deletion, dueMillis, nextNumber++, 0));
    }

    synchronized int size() {
        return entries.size();
    }

    /** Removes the deletion that is due first, and would be run next. */
    synchronized void removeFirst() {
        removed(entries.poll());
    }

    @GuardedBy("this")
    private void removed(@Nullable Entry<T> entry) {
        if (entry != null && entry.pauseMillis() > 0) {
            failedCount--;
        }
    }

    /**
     * Runs the deletions that are due; blocks.
     *
     * @param claim called before each deletion; one for which it returns false is removed
     * @param failed called with each deletion that failed, before it is queued again
     * @throws IOException the first failure, with the others suppressed, after the last deletion
     */
    void run(long nowMillis, Predicate<T> claim, Task<T> task, Consumer<T> failed)
            throws IOException {
        @Nullable IOException first = null;
        int failures = 0;
        while (failures < MAX_FAILURES_IN_A_ROW) {
            Optional<Entry<T>> next = poll(nowMillis);
            if (next.isEmpty()) {
                break;
            }
            T deletion = next.get().deletion();
            if (!claim.test(deletion)) {
                continue;
            }
            try {
                task.run(deletion);
                failures = 0;
            } catch (IOException | RuntimeException | Error failure) {
                failures++;
                failed.accept(deletion);
                retry(next.get(), nowMillis);
                first = add(first, failure);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static IOException add(@Nullable IOException first, Throwable failure) {
        if (first == null) {
            return failure instanceof IOException known
                    ? known
                    : new IOException("Cannot delete objects: " + failure, failure);
        }
        if (first != failure && first.getSuppressed().length < MAX_SUPPRESSED) {
            first.addSuppressed(failure);
        }
        return first;
    }

    private synchronized Optional<Entry<T>> poll(long nowMillis) {
        Entry<T> first = entries.peek();
        if (first == null || first.dueMillis() > nowMillis) {
            return Optional.empty();
        }
        removed(entries.poll());
        return Optional.of(first);
    }

    private synchronized void retry(Entry<T> entry, long nowMillis) {
        if (failedCount >= maxFailed) {
            return;
        }
        long pause = Math.clamp(2 * entry.pauseMillis(), MIN_PAUSE_MILLIS, MAX_PAUSE_MILLIS);
        entries.add(new Entry<>(entry.deletion(), nowMillis + pause, nextNumber++, pause));
        failedCount++;
    }
}
