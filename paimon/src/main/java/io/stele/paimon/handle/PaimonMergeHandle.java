package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import java.util.List;
import java.util.Map;

/**
 * The handle of one UPDATE, DELETE or MERGE of a table with a primary key, from the coordinator to
 * the sinks on workers.
 *
 * @param updated channels of the columns that each case of the statement assigns
 */
public record PaimonMergeHandle(PaimonWriteHandle write, Map<Integer, List<Integer>> updated)
        implements ConnectorMergeTableHandle {
    public PaimonMergeHandle {
        requireNonNull(write, "write is null");
        updated = Map.copyOf(updated);
    }

    @Override
    public ConnectorTableHandle getTableHandle() {
        return write.table();
    }

    @Override
    public String toString() {
        return write.toString();
    }
}
