package io.stele.scheduler;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A priority queue (binary heap) of the runnable contexts of one worker by virtual runtime,
 * smallest first; equals are in order of arrival. Confined to the worker.
 *
 * <p>Virtual runtimes are compared by their difference, so they may overflow.
 *
 * <p>Invariant: a context's {@code queueIndex} is its index in the heap, or -1 if it is in no heap.
 */
final class RunQueue {
    private @Nullable ExecutionContext[] heap = new ExecutionContext[16];
    private int size;
    private long nextSequence;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The context with the smallest virtual runtime; the queue must not be empty. */
    ExecutionContext first() {
        return at(0);
    }

    void add(ExecutionContext context) {
        if (context.queueIndex != -1) {
            throw new IllegalStateException(
                    "Expected %s to be in no run queue, found it at %d"
                            .formatted(context, context.queueIndex));
        }
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        context.queueSequence = nextSequence++;
        up(size++, context);
    }

    ExecutionContext removeFirst() {
        ExecutionContext removed = at(0);
        remove(removed);
        return removed;
    }

    void remove(ExecutionContext context) {
        int index = context.queueIndex;
        if (index < 0 || index >= size || heap[index] != context) {
            throw new IllegalStateException(
                    "Expected %s in this run queue, found it at %d".formatted(context, index));
        }
        context.queueIndex = -1;
        size--;
        ExecutionContext moved = heap[size];
        heap[size] = null;
        if (index < size && moved != null) {
            down(index, moved);
            if (heap[index] == moved) {
                up(index, moved);
            }
        }
    }

    /**
     * Passes up to {@code limit} contexts, including those that run next, to {@code action};
     * returns their number.
     */
    int forEachOfFirst(int limit, Consumer<ExecutionContext> action) {
        int count = Math.min(limit, size);
        for (int i = 0; i < count; i++) {
            action.accept(at(i));
        }
        return count;
    }

    private ExecutionContext at(int index) {
        ExecutionContext context = heap[index];
        if (context == null) {
            throw new IllegalStateException(
                    "Expected a context at %d of a run queue of %d, found none"
                            .formatted(index, size));
        }
        return context;
    }

    private void up(int start, ExecutionContext context) {
        int index = start;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            ExecutionContext above = at(parent);
            if (!before(context, above)) {
                break;
            }
            put(index, above);
            index = parent;
        }
        put(index, context);
    }

    private void down(int start, ExecutionContext context) {
        int index = start;
        while (true) {
            int child = 2 * index + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && before(at(child + 1), at(child))) {
                child++;
            }
            ExecutionContext below = at(child);
            if (!before(below, context)) {
                break;
            }
            put(index, below);
            index = child;
        }
        put(index, context);
    }

    private void put(int index, ExecutionContext context) {
        heap[index] = context;
        context.queueIndex = index;
    }

    private static boolean before(ExecutionContext one, ExecutionContext other) {
        long difference = one.virtualRuntime - other.virtualRuntime;
        return difference != 0 ? difference < 0 : one.queueSequence - other.queueSequence < 0;
    }
}
