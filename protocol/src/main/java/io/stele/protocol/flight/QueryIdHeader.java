package io.stele.protocol.flight;

import io.grpc.Metadata;

/**
 * A codec of the id of the query that a Flight call belongs to, in the gRPC header {@code
 * stele-query-id}, by which a sidecar reports its reads.
 */
public final class QueryIdHeader {
    /** Ids of Trino have about 30 characters. */
    public static final int MAX_LENGTH = 128;

    private static final Metadata.Key<String> ID =
            Metadata.Key.of("stele-query-id", Metadata.ASCII_STRING_MARSHALLER);

    private QueryIdHeader() {}

    /** Adds an id, unless it is empty. */
    public static void put(String queryId, Metadata headers) {
        if (!queryId.isEmpty()) {
            headers.put(ID, cut(queryId));
        }
    }

    /** The id in the headers of a call; empty if there is none. Longer ids are cut. */
    public static String get(Metadata headers) {
        String id = headers.get(ID);
        return id == null ? "" : cut(id);
    }

    private static String cut(String id) {
        return id.substring(0, Math.min(id.length(), MAX_LENGTH));
    }
}
