package io.stele.objectstore.retrieval;

import java.io.IOException;

/** A read failed for a reason that may pass: it is worth asking again. */
public final class TransientReadException extends IOException {
    private static final long serialVersionUID = 1;

    public TransientReadException(String message) {
        super(message);
    }

    public TransientReadException(String message, Throwable cause) {
        super(message, cause);
    }
}
