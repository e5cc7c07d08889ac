package io.stele.flink.changes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The splits that wait for their subtasks: shard after shard goes to subtask after subtask, so no
 * subtask has two more than another. Confined to one thread.
 */
final class SplitAssignment {
    private final Map<Integer, List<ChangeSplit>> waiting = new TreeMap<>();

    /** Spreads splits. */
    void spread(List<ChangeSplit> splits, int parallelism) {
        for (ChangeSplit split : splits) {
            waiting.computeIfAbsent(split.shard() % parallelism, subtask -> new ArrayList<>())
                    .add(split);
        }
    }

    /** Splits that a subtask had, which ended; it gets them again. */
    void giveBack(List<ChangeSplit> splits, int subtask) {
        waiting.computeIfAbsent(subtask, missing -> new ArrayList<>()).addAll(splits);
    }

    /** The splits of a subtask, which has them from here on. */
    List<ChangeSplit> take(int subtask) {
        List<ChangeSplit> taken = waiting.remove(subtask);
        return taken == null ? List.of() : taken;
    }

    /** All that wait. */
    List<ChangeSplit> waiting() {
        return waiting.values().stream().flatMap(List::stream).toList();
    }
}
