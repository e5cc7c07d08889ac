package io.stele.objectstore.retrieval;

import java.io.EOFException;

/** A range was asked for that begins at the end of its object or behind it. */
public final class BehindEndException extends EOFException {
    private static final long serialVersionUID = 1;

    public BehindEndException(String message) {
        super(message);
    }
}
