package io.stele.engine.manifest;

/**
 * The cause of a CORRUPT_DATA error for an intact object in a format version of a later release.
 */
public final class NewerFormatException extends Exception {
    private static final long serialVersionUID = 1;

    NewerFormatException() {
        super("a format version of a later release");
    }
}
