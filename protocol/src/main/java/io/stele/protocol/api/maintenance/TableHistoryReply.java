package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;

/**
 * The reply with the schema history of a table: its present schema, its earlier columns, and the
 * oldest readable LSN.
 *
 * @param schema the present schema
 * @param history the earlier columns
 * @param horizon the oldest LSN as of which the rows can be read
 */
public record TableHistoryReply(TableSchema schema, SchemaHistory history, Lsn horizon) {
    public TableHistoryReply {
        requireNonNull(schema, "schema is null");
        requireNonNull(history, "history is null");
        requireNonNull(horizon, "horizon is null");
    }
}
