package io.stele.connector.handle;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import java.util.List;

/**
 * What {@code table_changes} shows.
 *
 * @param table at the moment up to which changes are told
 * @param columns those of the table that the function has, before its own
 * @param afterLsn changes above it are told; its lease is the transaction's
 */
public record TableChangesHandle(
        SteleTableHandle table, List<SteleColumnHandle> columns, long afterLsn)
        implements ConnectorTableFunctionHandle {
    public TableChangesHandle {
        requireNonNull(table, "table is null");
        columns = List.copyOf(columns);
        checkArgument(
                afterLsn <= table.readLsn(),
                "Expected changes up to an LSN at or above %s, found %s",
                afterLsn,
                table.readLsn());
    }
}
