package io.stele.paimon.image;

import java.io.IOException;

/** The failure to find a table at its location, where its schema file no longer exists. */
public final class TableDroppedException extends IOException {
    private static final long serialVersionUID = 1L;

    TableDroppedException(String message) {
        super(message);
    }
}
