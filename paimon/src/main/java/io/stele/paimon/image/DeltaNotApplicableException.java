package io.stele.paimon.image;

/**
 * The failure to apply a delta that does not fit its image, after which the new image is built from
 * all manifests.
 */
final class DeltaNotApplicableException extends Exception {
    private static final long serialVersionUID = 1L;

    DeltaNotApplicableException(String message) {
        super(message);
    }
}
