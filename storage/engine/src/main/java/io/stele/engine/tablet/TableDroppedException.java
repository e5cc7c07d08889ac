package io.stele.engine.tablet;

/** A flush or merge ended early because nobody can read its table any more. */
public final class TableDroppedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TableDroppedException(TableShard table) {
        super("Table " + table.schema().qualifiedName() + " was dropped");
    }
}
