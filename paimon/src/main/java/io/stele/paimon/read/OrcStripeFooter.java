package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.trino.orc.metadata.StripeFooter;

/** The footer of a stripe: where its streams are, and how columns are encoded. */
record OrcStripeFooter(StripeFooter footer) implements FileMetadata {
    /** By the layout of the classes: a stream with its column's number. */
    private static final int STREAM_BYTES = 64;

    OrcStripeFooter {
        requireNonNull(footer, "footer is null");
    }

    @Override
    public long retainedBytes() {
        return 256 + (long) STREAM_BYTES * footer.getStreams().size();
    }
}
