package io.stele.paimon.image;

import java.io.IOException;

/**
 * The failure to read a damaged persisted image, after which the image is built again from the
 * table's manifests.
 */
final class DamagedImageException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedImageException(String message) {
        super(message);
    }

    DamagedImageException(String message, Throwable cause) {
        super(message, cause);
    }
}
