package io.stele.engine.read;

/** The order of the rows of a scan by key. */
public enum KeyDirection {
    /** From the smallest key to the greatest. */
    ASCENDING,
    /** From the greatest key to the smallest. */
    DESCENDING
}
