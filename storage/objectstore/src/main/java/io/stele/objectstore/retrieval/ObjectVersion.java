package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

/**
 * The version of an object's content at the time of a read, by which a reader detects a change
 * between its requests.
 *
 * @param sizeBytes of the object
 * @param tag differs between different contents (an ETag); empty if the source has none
 */
public record ObjectVersion(long sizeBytes, String tag) {
    public ObjectVersion {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("Expected a size of at least 0, found " + sizeBytes);
        }
        requireNonNull(tag, "tag is null");
    }
}
