package io.stele.connector.read.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.slice.XxHash64;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestBoundedPlacement {
    private static final int SEEDS = 20;
    private static final long SPLIT = 32L << 20;

    /** Of 64 splits and of 1,000 files, whatever their names are. */
    @ParameterizedTest
    @CsvSource({
        "64, 2",
        "64, 3",
        "64, 4",
        "64, 8",
        "64, 16",
        "1000, 2",
        "1000, 3",
        "1000, 5",
        "1000, 8",
        "1000, 12",
        "1000, 16"
    })
    void noWorkerHasMoreThanOnePointThreeTimesTheMean(int items, int workers) {
        for (int seed = 0; seed < SEEDS; seed++) {
            long[] weights = new long[items];
            Arrays.fill(weights, SPLIT);
            int[] placed =
                    BoundedPlacement.place(hashes(items, seed), weights, workers(workers, seed));
            long[] counts = new long[workers];
            Arrays.stream(placed).forEach(worker -> counts[worker]++);
            assertThat(LongStream.of(counts).max().orElseThrow())
                    .as("most items of a worker, seed %s", seed)
                    .isLessThanOrEqualTo((long) (1.3 * items / workers));
            assertThat(LongStream.of(counts).min().orElseThrow())
                    .as("fewest items of a worker, seed %s", seed)
                    .isPositive();
        }
    }

    /** Weights from 3 to 150 MB. */
    @ParameterizedTest
    @CsvSource({"200, 2", "200, 4", "1000, 8", "1000, 16"})
    void itemsOfDifferentWeightsAreSpreadByWeight(int items, int workers) {
        for (int seed = 0; seed < SEEDS; seed++) {
            long[] weights = weights(items, seed);
            int[] placed =
                    BoundedPlacement.place(hashes(items, seed), weights, workers(workers, seed));
            long[] loads = new long[workers];
            for (int item = 0; item < items; item++) {
                loads[placed[item]] += weights[item];
            }
            double mean = (double) LongStream.of(weights).sum() / workers;
            assertThat(LongStream.of(loads).max().orElseThrow() / mean)
                    .as("seed %s", seed)
                    .isLessThanOrEqualTo(1.3);
        }
    }

    /** What a worker takes with it is not counted. When it returns, everything is as before. */
    @ParameterizedTest
    @CsvSource({"64, 3, 0.1", "64, 16, 0.2", "1000, 3, 0", "1000, 8, 0.01", "1000, 16, 0.01"})
    void aWorkerThatLeavesMovesFewItemsOfOthers(int items, int workers, double most) {
        for (int seed = 0; seed < SEEDS; seed++) {
            long[] hashes = hashes(items, seed);
            long[] weights = new long[items];
            Arrays.fill(weights, SPLIT);
            long[] all = workers(workers, seed);
            int[] before = BoundedPlacement.place(hashes, weights, all);
            for (int gone = 0; gone < workers; gone++) {
                int left = gone;
                long[] others =
                        IntStream.range(0, workers)
                                .filter(worker -> worker != left)
                                .mapToLong(worker -> all[worker])
                                .toArray();
                int[] after = BoundedPlacement.place(hashes, weights, others);
                long moved =
                        IntStream.range(0, items)
                                .filter(item -> before[item] != left)
                                .filter(item -> others[after[item]] != all[before[item]])
                                .count();
                assertThat((double) moved / items)
                        .as("moved without worker %s, seed %s", gone, seed)
                        .isLessThanOrEqualTo(most);
            }
            assertThat(BoundedPlacement.place(hashes, weights, all)).isEqualTo(before);
        }
    }

    /** A query with a filter finds most of its files where a query of all left them. */
    @ParameterizedTest
    @CsvSource({"1000, 3, 0", "1000, 8, 0.02", "1000, 16, 0.04", "64, 3, 0.2"})
    void aPartOfTheItemsIsMostlyInTheSamePlaces(int items, int workers, double most) {
        for (int seed = 0; seed < SEEDS; seed++) {
            long[] hashes = hashes(items, seed);
            long[] weights = new long[items];
            Arrays.fill(weights, SPLIT);
            int[] all = BoundedPlacement.place(hashes, weights, workers(workers, seed));
            int[] half =
                    BoundedPlacement.place(
                            Arrays.copyOf(hashes, items / 2),
                            Arrays.copyOf(weights, items / 2),
                            workers(workers, seed));
            long moved =
                    IntStream.range(0, half.length).filter(item -> half[item] != all[item]).count();
            assertThat((double) moved / half.length).as("seed %s", seed).isLessThanOrEqualTo(most);
        }
    }

    @Test
    void theOrderOfTheItemsDoesNotMatter() {
        long[] hashes = hashes(64, 1);
        long[] weights = weights(64, 1);
        int[] placed = BoundedPlacement.place(hashes, weights, workers(8, 1));
        int[] reversed = BoundedPlacement.place(reverse(hashes), reverse(weights), workers(8, 1));
        for (int item = 0; item < 64; item++) {
            assertThat(reversed[63 - item]).isEqualTo(placed[item]);
        }
    }

    @Test
    void fewerItemsThanWorkersAreOnDifferentWorkers() {
        int[] placed =
                BoundedPlacement.place(
                        hashes(7, 3), new long[] {9, 9, 9, 9, 9, 9, 9}, workers(8, 3));
        assertThat(Arrays.stream(placed).distinct().count()).isEqualTo(7);
        assertThat(BoundedPlacement.place(hashes(2, 3), new long[] {1, 5}, workers(1, 3)))
                .containsExactly(0, 0);
        assertThat(BoundedPlacement.place(new long[0], new long[0], workers(1, 3))).isEmpty();
        assertThatThrownBy(() -> BoundedPlacement.place(new long[1], new long[1], new long[0]))
                .hasMessage("workers is empty");
    }

    private static long[] reverse(long[] values) {
        return IntStream.range(0, values.length)
                .mapToLong(index -> values[values.length - 1 - index])
                .toArray();
    }

    private static long[] hashes(int count, int seed) {
        return new Random(seed).longs(count).toArray();
    }

    private static long[] weights(int count, int seed) {
        return new Random(seed)
                .doubles(count, 0, 5)
                .mapToLong(power -> (long) (2e6 + 1e6 * Math.exp(power)))
                .toArray();
    }

    private static long[] workers(int count, int seed) {
        return IntStream.range(0, count).mapToLong(worker -> XxHash64.hash(seed, worker)).toArray();
    }
}
