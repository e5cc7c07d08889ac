package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.TableSchema;

/** A table: how its rows look, what is known about them, and who owns its shards. */
public record TableDescription(
        TableSchema schema, TableStatistics statistics, ShardRouting routing) {
    public TableDescription {
        requireNonNull(schema, "schema is null");
        requireNonNull(statistics, "statistics is null");
        requireNonNull(routing, "routing is null");
        if (routing.owners().size() != schema.shardCount()) {
            throw new IllegalArgumentException(
                    "Expected an owner for each of "
                            + schema.shardCount()
                            + " shards, found "
                            + routing.owners().size());
        }
    }
}
