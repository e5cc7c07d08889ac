package io.stele.scheduler;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The inbox of a worker: a lock-free list of the execution contexts that have become runnable on
 * it. Any thread may put; only the worker may take. The list is intrusive: it links the contexts
 * themselves, so a wake-up allocates nothing.
 *
 * <p>Invariant: a context is in at most one inbox, because only the present owner of a context adds
 * it (see {@link ExecutionContext}).
 */
final class ContextInbox {
    private final AtomicReference<@Nullable ExecutionContext> newest = new AtomicReference<>();

    boolean isEmpty() {
        return newest.get() == null;
    }

    void put(ExecutionContext context) {
        ExecutionContext before = newest.get();
        while (true) {
            context.nextInInbox = before;
            ExecutionContext found = newest.compareAndExchange(before, context);
            if (found == before) {
                return;
            }
            before = found;
        }
    }

    /** Removes all contexts, oldest first. */
    void drain(Consumer<ExecutionContext> taker) {
        ExecutionContext newestFirst = newest.getAndSet(null);
        ExecutionContext oldestFirst = null;
        while (newestFirst != null) {
            ExecutionContext older = newestFirst.nextInInbox;
            newestFirst.nextInInbox = oldestFirst;
            oldestFirst = newestFirst;
            newestFirst = older;
        }
        while (oldestFirst != null) {
            ExecutionContext following = oldestFirst.nextInInbox;
            oldestFirst.nextInInbox = null;
            taker.accept(oldestFirst);
            oldestFirst = following;
        }
    }
}
