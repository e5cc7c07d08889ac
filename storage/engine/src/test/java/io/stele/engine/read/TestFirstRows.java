package io.stele.engine.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestFirstRows {
    @Test
    void allRowsFit() {
        FirstRows rows = new FirstRows(3, needed -> 10);
        rows.found(2, new byte[6], 1);
        rows.found(0, new byte[4], 1);
        assertThat(rows.rows()).hasSize(3);
        assertThat(rows.rows().get(1)).isEmpty();
    }

    @Test
    void aRowThatDoesNotFitAloneEndsThem() {
        FirstRows rows = new FirstRows(3, needed -> 10);
        rows.found(1, new byte[11], 1);
        assertThat(rows.isWanted(1)).isFalse();
        assertThat(rows.isWanted(0)).isTrue();
        assertThat(rows.rows()).containsExactly(Optional.empty());
        rows.found(0, new byte[11], 1);
        assertThat(rows.rows()).isEmpty();
    }

    @Test
    void roomThatGrowsKeepsAll() {
        List<Long> asked = new ArrayList<>();
        FirstRows rows =
                new FirstRows(
                        4,
                        needed -> {
                            asked.add(needed);
                            return Math.min(needed, 20);
                        });
        rows.found(3, new byte[7], 1);
        rows.found(1, new byte[11], 1);
        assertThat(rows.rows()).hasSize(4);
        rows.found(0, new byte[5], 1);
        rows.found(2, new byte[9], 1); // what was given up is not asked for any more
        assertThat(rows.rows()).hasSize(2);
        assertThat(asked).containsExactly(0L, 7L, 18L, 23L);
    }

    /** So that the next try waits for just the room that all need. */
    @Test
    void whatAllRowsNeedIsCounted() {
        FirstRows rows = new FirstRows(4, new Counting(10, 100));
        rows.found(0, new byte[6], 1);
        rows.found(1, new byte[7], 1); // is not kept
        assertThat(rows.isWanted(2)).isTrue();
        rows.found(2, new byte[1], 1);
        rows.found(3, new byte[60], 1);
        assertThat(rows.rows()).hasSize(1);
        assertThat(rows.neededBytes()).isEqualTo(74);
    }

    @Test
    void moreThanIsCountedIsNotRead() {
        FirstRows rows = new FirstRows(4, new Counting(10, 100));
        rows.found(3, new byte[101], 1);
        assertThat(rows.isWanted(2)).as("may be among those kept").isTrue();
        rows.found(2, new byte[11], 1);
        assertThat(rows.isWanted(3)).isFalse();
        assertThat(rows.isWanted(2)).isFalse();
        assertThat(rows.isWanted(1)).isTrue();
        assertThat(rows.neededBytes()).isGreaterThan(100);
    }

    private record Counting(long maxBytes, long countedBytes) implements RowRoom {
        @Override
        public long grow(long neededBytes) {
            return maxBytes;
        }
    }

    /** In whatever order rows are found, it is as if they had been found in that of the keys. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 99, 1_000, 10_000})
    void theOrderDoesNotMatter(int maxBytes) {
        Random random = new Random(maxBytes);
        for (int round = 0; round < 100; round++) {
            List<Optional<byte[]>> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                all.add(
                        random.nextInt(5) == 0
                                ? Optional.empty()
                                : Optional.of(new byte[random.nextInt(100)]));
            }
            FirstRows rows = new FirstRows(all.size(), needed -> maxBytes);
            List<Integer> order = new ArrayList<>(IntStream.range(0, all.size()).boxed().toList());
            Collections.shuffle(order, random);
            for (int index : order) {
                if (rows.isWanted(index)) {
                    all.get(index).ifPresent(row -> rows.found(index, row, 1));
                }
            }
            assertThat(rows.rows()).isEqualTo(prefix(all, maxBytes));
        }
    }

    private static List<Optional<byte[]>> prefix(List<Optional<byte[]>> all, int maxBytes) {
        int bytes = 0;
        for (int i = 0; i < all.size(); i++) {
            bytes += all.get(i).map(row -> row.length).orElse(0);
            if (bytes > maxBytes) {
                return all.subList(0, i);
            }
        }
        return all;
    }
}
