package io.stele.protocol;

import static java.util.Objects.requireNonNull;

/**
 * The user, source, resource group and id of the query that a request belongs to. By the first
 * three a sidecar chooses its scheduling group; by user and id, the reads of one query share one
 * claim to processor time in that group. It is sent in the Flight headers {@code stele-user},
 * {@code stele-source}, {@code stele-resource-group} and {@code stele-query-id}, and without the id
 * at the end of the framed protocol's HELLO. It is not authenticated: a client with the shared
 * secret may send any values.
 *
 * @param user of the query; empty: not given. This holds for all values
 * @param source the program that sent the query, such as {@code trino-cli}
 * @param resourceGroup of the query in Trino, such as {@code global.etl}
 * @param queryId of the query in Trino, or any other name that its reads have in common; empty:
 *     each read is a query by itself
 */
public record QueryIdentity(String user, String source, String resourceGroup, String queryId) {
    /** All values are empty. */
    public static final QueryIdentity NONE = new QueryIdentity("", "", "");

    /** The most characters of each value: enough for any name, and short enough for every call. */
    public static final int MAX_LENGTH = 256;

    /** The identity of a query without an id. */
    public QueryIdentity(String user, String source, String resourceGroup) {
        this(user, source, resourceGroup, "");
    }

    /** Cuts longer values. */
    public QueryIdentity {
        user = cut(requireNonNull(user, "user is null"));
        source = cut(requireNonNull(source, "source is null"));
        resourceGroup = cut(requireNonNull(resourceGroup, "resourceGroup is null"));
        queryId = cut(requireNonNull(queryId, "queryId is null"));
    }

    /** The same query for another user. */
    public QueryIdentity withUser(String newUser) {
        return new QueryIdentity(newUser, source, resourceGroup, queryId);
    }

    private static String cut(String text) {
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH);
    }
}
