package io.stele.connector.read.affinity;

import static com.google.common.base.Preconditions.checkArgument;

import io.airlift.slice.XxHash64;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A placement of weighted items on workers by rendezvous hashing [1] with bounded loads [2]: an
 * item goes to the worker with its highest score, or to the next one if that worker has its part of
 * the whole already. Depends on the items and workers alone, in any order. Stateless.
 */
final class BoundedPlacement {
    /*
     * [1] D. G. Thaler, C. V. Ravishankar: A Name-Based Mapping Scheme for Rendezvous, 1996
     * [2] V. Mirrokni, M. Thorup, M. Zadimoghaddam: Consistent Hashing with Bounded Loads, 2018
     *
     * Rendezvous hashing alone gives one of 16 workers twice its part of 64 items. The bound of [2]
     * makes the spread certain, and few items pay for it: one in a thousand of 1,000 items, one in
     * ten of 64. All items first try the worker of their highest score, so none of those that found
     * no place there takes the place of another. These go to idle workers first, then to those that
     * have little. Large items go first: what is left over at the end is then small.
     */

    /** The largest load of a worker, as a multiple of the mean. */
    static final double BOUND = 1.25;

    private BoundedPlacement() {}

    /**
     * The index of the worker of each item.
     *
     * @param hashes of the items
     * @param weights of the items, in any unit
     * @param workers hashes of the workers; not empty
     */
    static int[] place(long[] hashes, long[] weights, long[] workers) {
        checkArgument(workers.length > 0, "workers is empty");
        checkArgument(
                hashes.length == weights.length,
                "Expected as many weights as hashes, found %s and %s",
                weights.length,
                hashes.length);
        long mean = Arrays.stream(weights).sum() / workers.length;
        // An item above the mean has a worker for itself, and others may have as much
        long limit = Math.max((long) (BOUND * mean), Arrays.stream(weights).max().orElse(0));
        int[] placed = Arrays.stream(hashes).mapToInt(hash -> best(hash, workers, -1)).toArray();
        long[] loads = new long[workers.length];
        for (int item = 0; item < placed.length; item++) {
            loads[placed[item]] += weights[item];
        }
        int[] crowded =
                IntStream.range(0, placed.length)
                        .filter(item -> loads[placed[item]] > limit)
                        .toArray();
        for (int item : crowded) {
            loads[placed[item]] = 0;
        }
        int[] overflow =
                largestFirst(crowded, hashes, weights)
                        .filter(item -> !add(loads, placed[item], weights[item], limit))
                        .toArray();
        for (int item : overflow) {
            int[] ranked = ranked(hashes[item], workers);
            placed[item] = next(ranked, weights[item], loads, weights[item], mean / 2, limit);
            loads[placed[item]] += weights[item];
        }
        return placed;
    }

    /** The worker of the highest score of an item, other than one that is left out. */
    static int best(long hash, long[] workers, int leftOut) {
        int best = -1;
        long highest = Long.MIN_VALUE;
        for (int worker = 0; worker < workers.length; worker++) {
            if (worker == leftOut) {
                continue;
            }
            long score = score(hash, workers[worker]);
            if (best < 0 || score > highest) {
                best = worker;
                highest = score;
            }
        }
        return best;
    }

    private static long score(long hash, long worker) {
        return XxHash64.hash(worker, hash);
    }

    /** Items in classes of weight, a factor of two each, and by hash inside a class. */
    private static IntStream largestFirst(int[] items, long[] hashes, long[] weights) {
        return Arrays.stream(items)
                .boxed()
                .sorted(
                        Comparator.<Integer>comparingInt(
                                        item -> Long.numberOfLeadingZeros(weights[item]))
                                .thenComparingLong(item -> hashes[item]))
                .mapToInt(Integer::intValue);
    }

    private static boolean add(long[] loads, int worker, long weight, long limit) {
        if (loads[worker] + weight > limit) {
            return false;
        }
        loads[worker] += weight;
        return true;
    }

    /** The workers by their score for an item, the highest first. */
    private static int[] ranked(long hash, long[] workers) {
        return IntStream.range(0, workers.length)
                .boxed()
                .sorted(
                        Comparator.<Integer>comparingLong(worker -> score(hash, workers[worker]))
                                .reversed())
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /**
     * The first of some workers that stays within a limit, the lowest first, or else the one with
     * the least load.
     */
    private static int next(int[] ranked, long weight, long[] loads, long... limits) {
        for (long limit : limits) {
            for (int worker : ranked) {
                if (loads[worker] + weight <= limit) {
                    return worker;
                }
            }
        }
        int least = ranked[0];
        for (int worker : ranked) {
            if (loads[worker] < loads[least]) {
                least = worker;
            }
        }
        return least;
    }
}
