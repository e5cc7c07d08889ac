package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * A range that a caller of the download manager reads, and the target of its bytes.
 *
 * @param target has as many bytes remaining as the range; its position does not change
 */
public record RangeRead(ByteRange range, ByteBuffer target) {
    public RangeRead {
        requireNonNull(range, "range is null");
        requireNonNull(target, "target is null");
        if (target.remaining() != range.length()) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a buffer of %d bytes, found %d",
                            range.length(),
                            target.remaining()));
        }
    }
}
