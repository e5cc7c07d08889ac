package io.stele.engine.memtable;

import io.stele.protocol.schema.TableSchema;

/** The kinds of memtables, by the order in which they store the versions of a table. */
public enum MemTableKind {
    /** In the order of row ids, as rows of tables without a primary key come. */
    APPENDED,
    /** In key order at all times: row tables, whose rows are served from memory. */
    ORDERED,
    /**
     * In the order they came, with a hash of their keys: column tables, which are read by key and
     * as a whole.
     */
    HASHED;

    public static MemTableKind of(TableSchema schema) {
        if (!schema.hasPrimaryKey()) {
            return APPENDED;
        }
        return schema.orientation().hasRows() ? ORDERED : HASHED;
    }
}
