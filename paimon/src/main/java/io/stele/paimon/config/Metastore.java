package io.stele.paimon.config;

/**
 * The kinds of metastore that a configuration can name, which know the databases and tables of a
 * lake.
 */
public enum Metastore {
    /** The folders of the warehouse. */
    FILESYSTEM,
    /** A server of Paimon's REST protocol. */
    REST,
    /**
     * A relational database. The driver of PostgreSQL is in this plugin; others are added to its
     * folder.
     */
    JDBC,
    /** Known by name only, to refuse it: its client is not in this plugin. */
    HIVE
}
