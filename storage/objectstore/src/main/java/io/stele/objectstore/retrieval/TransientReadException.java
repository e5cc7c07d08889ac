package io.stele.objectstore.retrieval;

import java.io.IOException;

/**
 * The failure of a read request for a reason that may pass, so that the retrieval layer retries it.
 */
public final class TransientReadException extends IOException {
    private static final long serialVersionUID = 1;

    public TransientReadException(String message) {
        super(message);
    }

    public TransientReadException(String message, Throwable cause) {
        super(message, cause);
    }
}
