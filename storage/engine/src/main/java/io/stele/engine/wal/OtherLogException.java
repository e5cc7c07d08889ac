package io.stele.engine.wal;

/**
 * The cause of a CORRUPT_DATA failure at a start that is no damage: the log is not the warehouse's,
 * or incomplete. The right log may be elsewhere.
 */
public final class OtherLogException extends Exception {
    private static final long serialVersionUID = 1;

    public OtherLogException() {
        super("another log, or not all of it");
    }
}
