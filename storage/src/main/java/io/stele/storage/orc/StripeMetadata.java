package io.stele.storage.orc;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/**
 * What a stripe has beside its columns' data, as it is stored: the row indexes at its beginning and
 * the footer at its end. Immutable; the buffers' positions are not to be moved.
 */
record StripeMetadata(ByteBuffer indexes, ByteBuffer footer) {
    private static final long OVERHEAD_BYTES = 300; // key, map and policy, about

    StripeMetadata {
        requireNonNull(indexes, "indexes is null");
        requireNonNull(footer, "footer is null");
    }

    long retainedBytes() {
        return OVERHEAD_BYTES + indexes.remaining() + footer.remaining();
    }
}
