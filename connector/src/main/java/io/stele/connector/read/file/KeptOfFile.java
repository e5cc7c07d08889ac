package io.stele.connector.read.file;

/**
 * An entry of {@link FileTails} for a column file: its footer, the metadata of a stripe, or the
 * whole content of a small file.
 */
sealed interface KeptOfFile permits FileFooter, FileContent, StripeEnds {
    /** Memory held, in bytes, about. */
    long retainedBytes();
}
