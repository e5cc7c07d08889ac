package io.stele.engine.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestRowRuns {
    private final RowRuns runs = new RowRuns();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 100, 4_000, 100_000})
    void rowsOfAGroupStayInTheirOrder(int groupCount) {
        Random random = new Random(groupCount);
        for (int count : new int[] {4_096, 0, 1, 777, 4_096}) {
            int[] rows = new int[VectorSource.BATCH_ROWS];
            int[] groups = new int[VectorSource.BATCH_ROWS];
            Map<Integer, List<Integer>> expected = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) {
                rows[i] = i;
                groups[i] = random.nextInt(groupCount);
                expected.computeIfAbsent(groups[i], group -> new ArrayList<>()).add(i);
            }
            runs.split(rows, count, groups, groupCount);
            assertThat(found()).containsExactlyEntriesOf(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 50})
    void allRowsAreOneGroup(int count) {
        runs.split(new int[] {0, 1}, 2, new int[] {7, 8}, 9); // leaves nothing behind
        runs.all(IntStream.range(0, count).toArray(), count);
        assertThat(found())
                .isEqualTo(
                        count == 0
                                ? Map.of()
                                : Map.of(0, IntStream.range(0, count).boxed().toList()));
    }

    private Map<Integer, List<Integer>> found() {
        Map<Integer, List<Integer>> found = new LinkedHashMap<>();
        for (int run = 0; run < runs.count(); run++) {
            List<Integer> rows =
                    IntStream.range(runs.start(run), runs.end(run))
                            .mapToObj(i -> runs.rows()[i])
                            .toList();
            assertThat(found.put(runs.group(run), rows)).isNull();
        }
        return found;
    }
}
