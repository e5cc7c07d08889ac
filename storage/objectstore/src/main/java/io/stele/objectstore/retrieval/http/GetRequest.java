package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.RangeRequest;

/**
 * A GET that is ready to be sent.
 *
 * @param endpoint where to
 * @param head with the range and its empty line
 * @param wanted what its answer is to have
 */
public record GetRequest(Endpoint endpoint, byte[] head, RangeRequest wanted) {
    public GetRequest {
        requireNonNull(endpoint, "endpoint is null");
        requireNonNull(head, "head is null");
        requireNonNull(wanted, "wanted is null");
    }
}
