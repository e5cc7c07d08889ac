package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.schema.TableSchema;
import java.util.Optional;

/**
 * A table: its schema, its statistics, and the owners of its shards.
 *
 * @param createdLsn since when the table is the one of its name; a snapshot before it sees the
 *     table that it replaced, or none; empty: unknown
 * @param changedLsn at or above the LSN of the last change of its rows; empty: unknown
 */
public record TableDescription(
        TableSchema schema,
        TableStatistics statistics,
        ShardRouting routing,
        Optional<Lsn> createdLsn,
        Optional<Lsn> changedLsn) {
    public TableDescription {
        requireNonNull(createdLsn, "createdLsn is null");
        requireNonNull(changedLsn, "changedLsn is null");
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

    /** Whether a reader at an LSN sees another table of the name, or none. */
    public boolean isYoungerThan(Lsn snapshot) {
        return createdLsn.isPresent() && createdLsn.get().compareTo(snapshot) > 0;
    }

    /** A description without LSNs. */
    public TableDescription(TableSchema schema, TableStatistics statistics, ShardRouting routing) {
        this(schema, statistics, routing, Optional.empty(), Optional.empty());
    }
}
