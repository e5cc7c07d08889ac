package io.stele.objectstore;

/**
 * A read needs something that is not in memory, in a thread that must not wait for it: see {@link
 * NonBlocking}. Not a failure, so without a stack trace.
 */
public final class WouldBlockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WouldBlockException() {
        super("This thread must not wait for the store", null, false, false);
    }
}
