package io.stele.objectstore.retrieval.http;

import io.stele.objectstore.retrieval.ContentRange;
import java.util.OptionalInt;

/**
 * An extractor of the checksum that the body of an HTTP response must have, from the response's
 * head. Called on an event loop: must not block.
 */
@FunctionalInterface
public interface BodyChecksums {
    /** Answers without checksums. */
    BodyChecksums NONE = (_, _) -> OptionalInt.empty();

    /**
     * The CRC32C of the body, if the answer has it.
     *
     * @param part of the object that the body is
     */
    OptionalInt crc32c(ResponseHead head, ContentRange part);
}
