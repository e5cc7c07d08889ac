package io.stele.flink.changes;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * A message from a reader to the enumerator: the change feed of a shard has a lease of its own now.
 */
record ShardHeld(int shard) implements SourceEvent {
    private static final long serialVersionUID = 1;
}
