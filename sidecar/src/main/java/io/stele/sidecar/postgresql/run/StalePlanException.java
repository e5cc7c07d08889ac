package io.stele.sidecar.postgresql.run;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;

/**
 * The failure of a fixed plan whose table's columns have changed since planning; the statement is
 * to be planned again.
 */
public final class StalePlanException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StalePlanException(String table) {
        super("The columns of " + table + " have changed");
    }

    /** The failure of a statement that cannot be planned again. */
    public PostgresException whileRunning() {
        return new PostgresException(
                SqlState.SERIALIZATION_FAILURE,
                "Expected the columns of the table to stay while a statement runs: "
                        + getMessage());
    }
}
