package io.stele.protocol;

import static java.util.Objects.requireNonNull;

/**
 * The user, source and resource group of the query that a request belongs to, by which a sidecar
 * chooses its scheduling group. It is sent in the Flight headers {@code stele-user}, {@code
 * stele-source} and {@code stele-resource-group}, and at the end of the framed protocol's HELLO. It
 * is not authenticated: a client with the shared secret may send any values.
 *
 * @param user of the query; empty: not given. This holds for all three values
 * @param source the program that sent the query, such as {@code trino-cli}
 * @param resourceGroup of the query in Trino, such as {@code global.etl}
 */
public record QueryIdentity(String user, String source, String resourceGroup) {
    /** All three values are empty. */
    public static final QueryIdentity NONE = new QueryIdentity("", "", "");

    /** The most characters of each value: enough for any name, and short enough for every call. */
    public static final int MAX_LENGTH = 256;

    /** Cuts longer values. */
    public QueryIdentity {
        user = cut(requireNonNull(user, "user is null"));
        source = cut(requireNonNull(source, "source is null"));
        resourceGroup = cut(requireNonNull(resourceGroup, "resourceGroup is null"));
    }

    private static String cut(String text) {
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH);
    }
}
