package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;

/**
 * How a table came to be what it is.
 *
 * @param schema the table as it is
 * @param history the columns that it had before
 * @param horizon its rows can be read as of this LSN and later ones
 */
public record TableHistoryReply(TableSchema schema, SchemaHistory history, Lsn horizon) {
    public TableHistoryReply {
        requireNonNull(schema, "schema is null");
        requireNonNull(history, "history is null");
        requireNonNull(horizon, "horizon is null");
    }
}
