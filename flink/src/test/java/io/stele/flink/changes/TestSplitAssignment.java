package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each shard goes to one subtask, and no subtask has two more than another. */
final class TestSplitAssignment {
    private static List<ChangeSplit> splits(int count) {
        return IntStream.range(0, count)
                .mapToObj(shard -> new ChangeSplit(new TableId(1), shard, new Lsn(5), false))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"4, 1", "4, 2", "4, 3", "4, 4", "4, 9", "17, 5", "1, 3"})
    void shardsAreSpreadEvenly(int shards, int parallelism) {
        SplitAssignment assignment = new SplitAssignment();
        assignment.spread(splits(shards), parallelism);
        List<ChangeSplit> given = new ArrayList<>();
        for (int subtask = 0; subtask < parallelism; subtask++) {
            List<ChangeSplit> taken = assignment.take(subtask);
            assertThat(taken)
                    .hasSizeBetween(shards / parallelism, (shards + parallelism - 1) / parallelism);
            given.addAll(taken);
        }
        assertThat(given).containsExactlyInAnyOrderElementsOf(splits(shards));
        assertThat(assignment.waiting()).isEmpty();
    }

    @Test
    void aSplitIsTakenOnce() {
        SplitAssignment assignment = new SplitAssignment();
        assignment.spread(splits(4), 2);
        assertThat(assignment.take(0)).hasSize(2);
        assertThat(assignment.take(0)).isEmpty();
        assertThat(assignment.waiting()).hasSize(2);
    }

    @Test
    void splitsGoBackToTheSubtaskThatHadThem() {
        SplitAssignment assignment = new SplitAssignment();
        assignment.spread(splits(4), 2);
        List<ChangeSplit> taken = assignment.take(1);
        assignment.giveBack(taken, 1);
        assertThat(assignment.waiting()).hasSize(4);
        assertThat(assignment.take(1)).isEqualTo(taken);
        assertThat(assignment.take(0)).hasSize(2);
    }
}
