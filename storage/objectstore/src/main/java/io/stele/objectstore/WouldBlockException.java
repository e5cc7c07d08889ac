package io.stele.objectstore;

/**
 * The signal that a read needs data that is not in memory, in a thread that must not wait for the
 * store: see {@link NonBlocking}. It is no failure, so it has no stack trace.
 */
public final class WouldBlockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WouldBlockException() {
        super("This thread must not wait for the store", null, false, false);
    }
}
