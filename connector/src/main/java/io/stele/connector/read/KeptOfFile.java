package io.stele.connector.read;

/** What {@link FileTails} keeps of a file. */
sealed interface KeptOfFile permits FileFooter, FileContent, StripeEnds {
    /** Memory held, in bytes, about. */
    long retainedBytes();
}
