package io.stele.sidecar.postgresql.run;

/**
 * A cursor over rows of one table in key order, for the merge of shards and of a transaction's own
 * rows. Confined to one thread.
 */
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

    /** Moves behind that row. */
    abstract void consume();

    /** Gives up what it has read beyond what was consumed; it is read again. */
    void drop() {}

    /** Starts to read the next rows in advance, if it has not. */
    void start() {}
}
