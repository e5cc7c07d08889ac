package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTableExecuteHandle;
import java.util.List;
import java.util.OptionalLong;

/**
 * Trino's handle of a running {@code ALTER TABLE ... EXECUTE}: the table, the procedure and its
 * arguments.
 *
 * @param procedure its name
 * @param columns names of the columns in its arguments; empty: all
 * @param historyLsn the LSN below which history is discarded; empty: another procedure
 * @param orphansBeforeMillis orphan files last changed before this time (milliseconds since 1970)
 *     are deleted; empty: another procedure
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
