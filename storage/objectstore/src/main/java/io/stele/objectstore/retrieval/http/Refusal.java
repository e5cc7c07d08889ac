package io.stele.objectstore.retrieval.http;

import java.io.IOException;

/**
 * A translator of an HTTP response without the requested bytes to the failure of the request.
 * Called on an event loop: must not block.
 */
@FunctionalInterface
public interface Refusal {
    /**
     * The failure of the request.
     *
     * @param body as far as it was stored
     */
    IOException explain(ResponseHead head, byte[] body);
}
