package io.stele.flink.changes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The assignment of waiting splits to subtasks, in rotation: the counts of two subtasks differ by
 * at most one. Confined to one thread.
 */
final class SplitAssignment {
    private final Map<Integer, List<ChangeSplit>> waiting = new TreeMap<>();

    /** Assigns splits to subtasks in rotation. */
    void spread(List<ChangeSplit> splits, int parallelism) {
        for (ChangeSplit split : splits) {
            waiting.computeIfAbsent(split.shard() % parallelism, subtask -> new ArrayList<>())
                    .add(split);
        }
    }

    /** Puts back the splits of a failed subtask, which gets them again. */
    void giveBack(List<ChangeSplit> splits, int subtask) {
        waiting.computeIfAbsent(subtask, missing -> new ArrayList<>()).addAll(splits);
    }

    /** Takes the splits of a subtask, which owns them from now on. */
    List<ChangeSplit> take(int subtask) {
        List<ChangeSplit> taken = waiting.remove(subtask);
        return taken == null ? List.of() : taken;
    }

    /** All splits that have not been taken. */
    List<ChangeSplit> waiting() {
        return waiting.values().stream().flatMap(List::stream).toList();
    }
}
