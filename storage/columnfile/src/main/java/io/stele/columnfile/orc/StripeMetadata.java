package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/**
 * The encoded metadata of one stripe of a column file: the row indexes at its beginning and the
 * stripe footer at its end, as stored. Immutable; callers must not move the positions of the
 * buffers.
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
