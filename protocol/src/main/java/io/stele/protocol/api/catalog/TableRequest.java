package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * Something to do with a table named so.
 *
 * @param tableId the table the caller has in mind; STALE_TABLE where another one has the name by
 *     now
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
