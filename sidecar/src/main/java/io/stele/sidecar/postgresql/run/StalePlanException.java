package io.stele.sidecar.postgresql.run;

/** The columns of the table have changed since the statement was planned: plan it again. */
public final class StalePlanException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StalePlanException(String table) {
        super("The columns of " + table + " have changed");
    }
}
