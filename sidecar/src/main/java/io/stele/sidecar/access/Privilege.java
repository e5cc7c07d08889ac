package io.stele.sidecar.access;

/** A privilege on a table, of the name that it has in the rules of Trino. */
public enum Privilege {
    SELECT,
    INSERT,
    DELETE,
    UPDATE,
    /** To create the table, and to put another in its place. */
    OWNERSHIP,
    /** To select, and in Trino to make views of it that others read. */
    GRANT_SELECT
}
