package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * The request of the actions that need only a table, by its name.
 *
 * @param tableId the id that the caller knows; STALE_TABLE if another table has the name now
 */
public record TableRequest(TableName table, Optional<TableId> tableId) {
    public TableRequest {
        requireNonNull(table, "table is null");
        requireNonNull(tableId, "tableId is null");
    }

    public static TableRequest of(String schemaName, String tableName) {
        return new TableRequest(new TableName(schemaName, tableName), Optional.empty());
    }
}
