package io.stele.flink.changes;

import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * A message from a reader to the enumerator: the positions of its shards in a checkpoint.
 *
 * @param shards the numbers of the shards
 * @param lsns their positions, in the same order
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ShardPositions(long checkpoint, int[] shards, long[] lsns) implements SourceEvent {
    private static final long serialVersionUID = 1;

    static ShardPositions of(long checkpoint, List<ChangeSplit> splits) {
        return new ShardPositions(
                checkpoint,
                splits.stream().mapToInt(ChangeSplit::shard).toArray(),
                splits.stream().mapToLong(split -> split.position().value()).toArray());
    }
}
