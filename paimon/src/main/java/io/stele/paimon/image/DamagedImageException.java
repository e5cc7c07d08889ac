package io.stele.paimon.image;

import java.io.IOException;

/** A persisted image that cannot be read: the image is built again from the table. */
final class DamagedImageException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedImageException(String message) {
        super(message);
    }

    DamagedImageException(String message, Throwable cause) {
        super(message, cause);
    }
}
