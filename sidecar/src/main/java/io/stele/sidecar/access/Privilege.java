package io.stele.sidecar.access;

/** The privileges on a table, named as in Trino's access rules. */
public enum Privilege {
    SELECT,
    INSERT,
    DELETE,
    UPDATE,
    /** To create the table, and to replace it by another. */
    OWNERSHIP,
    /** To select, and in Trino to make views of it that others read. */
    GRANT_SELECT
}
