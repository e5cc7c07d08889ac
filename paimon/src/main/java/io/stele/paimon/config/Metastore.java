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
    /** A relational database; not tested, and its driver is not in this plugin. */
    JDBC,
    /** Known by name only, to refuse it: its client is not in this plugin. */
    HIVE
}
