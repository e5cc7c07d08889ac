package io.stele.objectstore.retrieval.http;

import io.stele.objectstore.retrieval.ContentRange;
import java.util.OptionalInt;

/**
 * An extractor of the checksum that the body of an HTTP response must have, from the response's
 * head. Called on an event loop: must not block.
 */
@FunctionalInterface
public interface BodyChecksums {
    /** An extractor for responses without checksums. */
    BodyChecksums NONE = (_, _) -> OptionalInt.empty();

    /**
     * The CRC32C that the body must have; empty if the response does not state it.
     *
     * @param part of the object that the body is
     */
    OptionalInt crc32c(ResponseHead head, ContentRange part);
}
