package io.stele.storage.retrieval.http;

import java.io.IOException;

/** What an answer means that does not have the bytes. Called on an event loop: must not block. */
@FunctionalInterface
public interface Refusal {
    /**
     * The failure of the request.
     *
     * @param body as far as it was kept
     */
    IOException explain(ResponseHead head, byte[] body);
}
