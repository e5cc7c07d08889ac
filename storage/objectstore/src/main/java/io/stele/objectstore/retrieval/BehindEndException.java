package io.stele.objectstore.retrieval;

import java.io.EOFException;

/** The failure of a request for a range that begins at or after the end of its object. */
public final class BehindEndException extends EOFException {
    private static final long serialVersionUID = 1;

    public BehindEndException(String message) {
        super(message);
    }
}
