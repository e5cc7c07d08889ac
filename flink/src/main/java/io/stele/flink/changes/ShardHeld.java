package io.stele.flink.changes;

import org.apache.flink.api.connector.source.SourceEvent;

/** A reader's notice that a shard's change feed holds the history by itself from here on. */
record ShardHeld(int shard) implements SourceEvent {
    private static final long serialVersionUID = 1;
}
