package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnChange;

/**
 * A request to change a column of a table, or a field inside one; the reply describes the changed
 * table.
 *
 * @param schemaVersion the version that the change is based on; STALE_TABLE if the present version
 *     is another one
 */
public record AlterTableRequest(TableId tableId, int schemaVersion, ColumnChange change) {
    public AlterTableRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(change, "change is null");
    }
}
