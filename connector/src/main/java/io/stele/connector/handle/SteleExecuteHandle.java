package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTableExecuteHandle;
import java.util.List;
import java.util.OptionalLong;

/**
 * An {@code ALTER TABLE ... EXECUTE}.
 *
 * @param procedure its name
 * @param columns names of the columns it is about; empty: all
 * @param historyLsn the history below is to be forgotten; empty: it is not about history
 * @param orphansBeforeMillis files that belong to nothing and were changed before (milliseconds
 *     since 1970) are to be deleted; empty: it is not about them
 */
public record SteleExecuteHandle(
        SteleTableHandle table,
        String procedure,
        List<String> columns,
        OptionalLong historyLsn,
        OptionalLong orphansBeforeMillis)
        implements ConnectorTableExecuteHandle {
    public SteleExecuteHandle {
        requireNonNull(table, "table is null");
        requireNonNull(procedure, "procedure is null");
        columns = List.copyOf(columns);
        requireNonNull(historyLsn, "historyLsn is null");
        requireNonNull(orphansBeforeMillis, "orphansBeforeMillis is null");
    }
}
