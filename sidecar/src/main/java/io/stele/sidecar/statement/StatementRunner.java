package io.stele.sidecar.statement;

/** The part of the system that runs a statement. */
public enum StatementRunner {
    /** The sidecar, by a fixed plan on the rows of one table. */
    FIXED_PLAN,
    /** The sidecar, which moves many rows from or to the client. */
    COPY,
    /** The sidecar, on relations of the catalog in memory. */
    CATALOG,
    /** Trino, to which the statement was handed on. */
    TRINO
}
