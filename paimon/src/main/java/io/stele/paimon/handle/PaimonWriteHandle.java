package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import java.util.List;
import java.util.OptionalLong;

/**
 * The handle of one statement that writes rows to a table, for the sinks on workers and the commit
 * on the coordinator.
 *
 * @param table as the statement saw it when it began
 * @param columns of the rows, in the order of the pages
 * @param commitUser a name that no other commit of the table has, by which the commit is found
 *     again if its outcome is unknown
 * @param overwrite whether the rows replace those of the partitions they are written to
 * @param snapshotMillis when the snapshot of {@code table} was committed, in epoch milliseconds,
 *     since after a rollback another snapshot may have its id; empty: there is no snapshot, or the
 *     statement does not depend on it
 */
public record PaimonWriteHandle(
        PaimonTableHandle table,
        List<PaimonColumnHandle> columns,
        String commitUser,
        boolean overwrite,
        OptionalLong snapshotMillis)
        implements ConnectorInsertTableHandle, ConnectorOutputTableHandle {
    public PaimonWriteHandle {
        requireNonNull(table, "table is null");
        columns = List.copyOf(columns);
        requireNonNull(commitUser, "commitUser is null");
        requireNonNull(snapshotMillis, "snapshotMillis is null");
    }

    @Override
    public String toString() {
        return table.toString();
    }
}
