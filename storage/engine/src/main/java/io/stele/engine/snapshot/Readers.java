package io.stele.engine.snapshot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;

/**
 * An epoch-based registry of the readers that may still use files, by which obsolete files are
 * deleted safely. Readers enter and exit some hundred thousand times a second. The question whether
 * all readers before some moment have exited is rare.
 *
 * <p>A reader belongs to the generation that is current when it enters. {@link #now} begins a new
 * generation. Thread-safe; readers take no lock.
 */
public final class Readers {
    @GuardedBy("this")
    private final Deque<Generation> generations = new ArrayDeque<>();

    private volatile Generation current = new Generation(0);

    Readers() {
        generations.add(current);
    }

    /** The readers that entered between two moments. */
    public static final class Generation {
        private final long number;
        private final LongAdder came = new LongAdder();
        private final LongAdder went = new LongAdder();

        private Generation(long number) {
            this.number = number;
        }

        /**
         * Whether all readers have exited. This is sound although the sums are no snapshots: both
         * only grow, and the number of exited readers is read first.
         */
        private boolean isEmpty() {
            long gone = went.sum();
            return came.sum() == gone;
        }
    }

    /** Registers a reader; call it before taking a view. */
    public Generation enter() {
        while (true) {
            Generation generation = current;
            generation.came.increment();
            if (generation == current) {
                return generation;
            }
            generation.went.increment(); // a new generation began, and we may have been overlooked
        }
    }

    public void exit(Generation generation) {
        generation.went.increment();
    }

    /**
     * Begins a generation and returns its number: above the generations of all earlier readers, and
     * at or below the generations of all later readers.
     */
    public synchronized long now() {
        Generation next = new Generation(current.number + 1);
        generations.add(next);
        current = next;
        return next.number;
    }

    /** Whether every reader that entered before {@link #now} returned {@code number} has exited. */
    public synchronized boolean allGoneSince(long number) {
        while (generations.size() > 1 && generations.getFirst().isEmpty()) {
            generations.removeFirst();
        }
        return generations.getFirst().number >= number;
    }
}
