package io.stele.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The lock-free task queue that is the base class of execution contexts (Hologres, section 4.2.2).
 * Any thread pushes tasks onto a submission stack. Only the owner accesses the private
 * first-in-first-out queue, to which it moves submitted tasks.
 *
 * <p>It is a superclass of the context and not a field, because a context must stay small: there
 * may be a million contexts.
 *
 * <p>Closing puts an {@link End} on the stack for good, so acceptance and refusal are decided by
 * one compare-and-set. Invariant: a task that {@link #push} or {@link #append} accepted is removed
 * by the owner exactly once; no task is accepted after the end.
 */
abstract class TaskQueue {
    private static final VarHandle SUBMITTED;

    static {
        try {
            SUBMITTED =
                    MethodHandles.lookup().findVarHandle(TaskQueue.class, "submitted", Task.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable Task submitted; // newest first
    private @Nullable Task first; // owner only
    private @Nullable Task last; // owner only

    /** A task, with the link to the next task of its queue. */
    abstract static class Task {
        private @Nullable Task next;

        /** Runs the task, or a part of it; returns true when it is done. */
        abstract boolean run(YieldSignal signal) throws Exception;

        /** Called once if the task will not be run to its end. */
        void cancelled() {}
    }

    /** The marker at the end of a closed queue. */
    static final class End extends Task {
        final CompletableFuture<@Nullable Void> reached = new CompletableFuture<>();
        volatile boolean cancelling; // drop waiting tasks instead of running them

        @Override
        boolean run(YieldSignal signal) {
            throw new IllegalStateException("The end of a queue is not a task");
        }
    }

    /** Adds a task, from any thread; false when the queue is closed. */
    final boolean push(Task task) {
        while (true) {
            Task top = submitted;
            if (top instanceof End) {
                return false;
            }
            task.next = top;
            if (SUBMITTED.compareAndSet(this, top, task)) {
                return true;
            }
        }
    }

    /** Adds a task after all tasks pushed before; false when closed. Owner only. */
    final boolean append(Task task) {
        moveSubmitted();
        if (submitted instanceof End) {
            return false;
        }
        addLast(task);
        return true;
    }

    /** Closes the queue, if it is still open; any thread. */
    final End close() {
        while (true) {
            Task top = submitted;
            if (top instanceof End end) {
                return end;
            }
            End end = new End();
            ((Task) end).next = top;
            if (SUBMITTED.compareAndSet(this, top, end)) {
                return end;
            }
        }
    }

    /** The end of a closed queue; null while it is open. Any thread. */
    final @Nullable End end() {
        return submitted instanceof End end ? end : null;
    }

    /** Whether a task was pushed that the owner has not moved yet; any thread. */
    final boolean hasSubmitted() {
        return submitted != null;
    }

    /** The next task, without removing it; null if there is none. Owner only. */
    final @Nullable Task peek() {
        if (first == null) {
            moveSubmitted();
        }
        return first;
    }

    /** Removes the task that {@link #peek} returns. Owner only. */
    final void removeFirst() {
        Task removed = first;
        if (removed == null) {
            throw new IllegalStateException("Expected a task at the head of the queue, found none");
        }
        first = removed.next;
        removed.next = null;
        if (first == null) {
            last = null;
        }
    }

    private void moveSubmitted() {
        Task top = submitted;
        while (top != null && !(top instanceof End)) {
            if (SUBMITTED.compareAndSet(this, top, null)) {
                addReversed(top);
                return;
            }
            top = submitted;
        }
        if (top != null) {
            Task rest = top.next;
            top.next = null; // the end stays: once closed, only the owner follows its link
            addReversed(rest);
        }
    }

    private void addReversed(@Nullable Task newestFirst) {
        Task oldestFirst = null;
        Task task = newestFirst;
        while (task != null) {
            Task older = task.next;
            task.next = oldestFirst;
            oldestFirst = task;
            task = older;
        }
        while (oldestFirst != null) {
            Task following = oldestFirst.next;
            addLast(oldestFirst);
            oldestFirst = following;
        }
    }

    private void addLast(Task task) {
        task.next = null;
        if (last == null) {
            first = task;
        } else {
            last.next = task;
        }
        last = task;
    }
}
