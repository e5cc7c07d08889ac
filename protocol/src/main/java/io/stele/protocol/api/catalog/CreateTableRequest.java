package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.TableSchema;
import java.util.Optional;

/**
 * A request to create a table; the reply has what was created.
 *
 * @param schema what to create; the sidecar assigns the table id, the schema version and, where the
 *     table group is not an existing one, its id: these values of the request are ignored
 * @param tableGroupName the table group, created with {@code schema.shardCount()} shards where
 *     there is none of the name; empty for the default one of that shard count
 * @param staged whether the table stays invisible until a transaction publishes it (CREATE TABLE
 *     AS)
 * @param ignoreExisting whether a table of the name is no error; the reply then has that one
 * @param replace whether the new table takes the place of one of the name, when it is created or
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

    /** Of a new name. */
    public CreateTableRequest(
            TableSchema schema, String tableGroupName, boolean staged, boolean ignoreExisting) {
        this(schema, tableGroupName, staged, ignoreExisting, Optional.empty());
    }
}
