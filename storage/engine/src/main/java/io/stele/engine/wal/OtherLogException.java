package io.stele.engine.wal;

/**
 * The cause of a CORRUPT_DATA that is no damage of the stored data: it is another log than the one
 * of the warehouse, or not all of it, and the right one may be elsewhere.
 */
public final class OtherLogException extends Exception {
    private static final long serialVersionUID = 1;

    public OtherLogException() {
        super("another log, or not all of it");
    }
}
