package io.stele.paimon.image;

import java.io.IOException;

/** A table that is no longer at its location. */
public final class TableDroppedException extends IOException {
    private static final long serialVersionUID = 1L;

    TableDroppedException(String message) {
        super(message);
    }
}
