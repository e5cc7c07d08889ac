package io.stele.paimon.image;

/** A delta that does not fit the image it is for: the image is built from nothing instead. */
final class DeltaNotApplicableException extends Exception {
    private static final long serialVersionUID = 1L;

    DeltaNotApplicableException(String message) {
        super(message);
    }
}
