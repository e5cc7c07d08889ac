package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTableExecuteHandle;

/**
 * An {@code ALTER TABLE ... EXECUTE}.
 *
 * @param procedure its name
 */
public record SteleExecuteHandle(SteleTableHandle table, String procedure)
        implements ConnectorTableExecuteHandle {
    public SteleExecuteHandle {
        requireNonNull(table, "table is null");
        requireNonNull(procedure, "procedure is null");
    }
}
