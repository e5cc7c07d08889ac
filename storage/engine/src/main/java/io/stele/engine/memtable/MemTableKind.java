package io.stele.engine.memtable;

import io.stele.protocol.schema.TableSchema;

/**
 * The kinds of memtables, selected by a table's schema, which differ in the order in which they
 * store versions.
 */
public enum MemTableKind {
    /** In the order of row ids, for tables without a primary key. */
    APPENDED,
    /** Always in key order, for tables with row tablets, whose rows are served from memory. */
    ORDERED,
    /**
     * In arrival order with a hash table of keys, for column tables, which are read by key and as a
     * whole.
     */
    HASHED;

    public static MemTableKind of(TableSchema schema) {
        if (!schema.hasPrimaryKey()) {
            return APPENDED;
        }
        return schema.orientation().hasRows() ? ORDERED : HASHED;
    }
}
