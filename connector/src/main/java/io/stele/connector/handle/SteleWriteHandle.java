package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import java.util.List;

/**
 * Trino's handle of a write in progress: INSERT, CREATE TABLE AS, or the writing side of UPDATE,
 * DELETE and MERGE.
 *
 * @param transactionId the sidecar's transaction that collects rows and files
 * @param dataPrefix where workers put files
 * @param columns all columns of the table in the order of the written pages
 * @param created whether the table becomes public with the commit
 * @param existing what happens to rows of keys that are written
 */
public record SteleWriteHandle(
        TableSchema table,
        String transactionId,
        String dataPrefix,
        List<SteleColumnHandle> columns,
        boolean created,
        ExistingRows existing)
        implements ConnectorInsertTableHandle, ConnectorOutputTableHandle {
    public SteleWriteHandle {
        requireNonNull(table, "table is null");
        requireNonNull(transactionId, "transactionId is null");
        requireNonNull(dataPrefix, "dataPrefix is null");
        columns = List.copyOf(columns);
        requireNonNull(existing, "existing is null");
    }

    @Override
    public String toString() {
        return table.qualifiedName();
    }
}
