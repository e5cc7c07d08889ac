package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.TableSchema;
import java.util.Optional;

/**
 * A request to create a table; the reply describes the created table.
 *
 * @param schema of the new table. The sidecar assigns the table id, the schema version and, for a
 *     new table group, its id: these values of the request are ignored
 * @param tableGroupName the table group, created with {@code schema.shardCount()} shards if it does
 *     not exist; empty for the default group of that shard count
 * @param staged whether the table stays invisible until a transaction publishes it (CREATE TABLE
 *     AS)
 * @param ignoreExisting whether an existing table of the name is no error; the reply then describes
 *     it
 * @param replace whether the new table replaces an existing one of the name, when it is created or
 *     published; absent: no
 */
public record CreateTableRequest(
        TableSchema schema,
        String tableGroupName,
        boolean staged,
        boolean ignoreExisting,
        Optional<Boolean> replace) {
    public CreateTableRequest {
        requireNonNull(replace, "replace is null");
        requireNonNull(schema, "schema is null");
        requireNonNull(tableGroupName, "tableGroupName is null");
    }

    /** A request for a table that replaces no other. */
    public CreateTableRequest(
            TableSchema schema, String tableGroupName, boolean staged, boolean ignoreExisting) {
        this(schema, tableGroupName, staged, ignoreExisting, Optional.empty());
    }
}
