package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.RangeRequest;

/**
 * An encoded HTTP GET request for a range, which is ready to be sent.
 *
 * @param endpoint that receives it
 * @param head the encoded head, with the range header and the final empty line
 * @param wanted the range that the response must have
 */
public record GetRequest(Endpoint endpoint, byte[] head, RangeRequest wanted) {
    public GetRequest {
        requireNonNull(endpoint, "endpoint is null");
        requireNonNull(head, "head is null");
        requireNonNull(wanted, "wanted is null");
    }
}
