package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.schema.TableSchema;
import java.util.Optional;

/**
 * The reply of a sidecar about a table: its schema, its statistics, and the owners of its shards.
 *
 * @param createdLsn the LSN at which the table got its name; an earlier snapshot sees the table
 *     that it replaced, or none; empty: unknown
 * @param changedLsn an upper bound of the LSN of its last row change; empty: unknown
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

    /** Whether a reader at an LSN sees another table of the name, or no table. */
    public boolean isYoungerThan(Lsn snapshot) {
        return createdLsn.isPresent() && createdLsn.get().compareTo(snapshot) > 0;
    }

    /** A description without LSNs. */
    public TableDescription(TableSchema schema, TableStatistics statistics, ShardRouting routing) {
        this(schema, statistics, routing, Optional.empty(), Optional.empty());
    }
}
