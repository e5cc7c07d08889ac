package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import java.util.List;
import java.util.OptionalLong;

/**
 * One statement that writes rows to a table.
 *
 * @param table as the statement saw it when it began
 * @param columns of the rows, in the order of the pages
 * @param commitUser a name that no other commit of the table has: by it the commit of the statement
 *     is found again when its outcome is unknown
 * @param overwrite whether the rows replace those of the partitions they are written to
 * @param snapshotMillis when the snapshot of {@code table} was committed: after a rollback another
 *     one has its id; empty: there is none, or the statement does not depend on it
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
