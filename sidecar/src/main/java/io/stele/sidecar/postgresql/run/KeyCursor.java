package io.stele.sidecar.postgresql.run;

/** Rows of one table in the order of their keys, to be merged. Confined to one thread. */
abstract class KeyCursor {
    /**
     * Moves to a row, unless it is at one.
     *
     * @return whether it is at one; false at the end
     */
    abstract boolean isAtRow();

    /** The row that it is at; not to be changed. */
    abstract byte[] row();

    /** The primary key of that row. */
    abstract byte[] key();

    /** Goes on behind that row. */
    abstract void consume();

    /** Gives up what it has read beyond what was consumed; it is read again. */
    void drop() {}

    /** Begins to read what will be asked for, if it has not. */
    void start() {}
}
