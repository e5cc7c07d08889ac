package io.stele.storage.retrieval;

import static java.util.Objects.requireNonNull;

/**
 * One request for bytes of an object.
 *
 * @param object its name, as the source knows it
 * @param range of it
 * @param mayBeShorter whether the answer may end with the object, before the range does
 */
public record RangeRequest(String object, ByteRange range, boolean mayBeShorter) {
    public RangeRequest {
        requireNonNull(object, "object is null");
        requireNonNull(range, "range is null");
    }
}
