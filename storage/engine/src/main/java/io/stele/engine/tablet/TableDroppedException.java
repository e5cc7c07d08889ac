package io.stele.engine.tablet;

/** The signal that a flush or compaction ends early, because its table was dropped. */
public final class TableDroppedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TableDroppedException(TableShard table) {
        super("Table " + table.schema().qualifiedName() + " was dropped");
    }
}
