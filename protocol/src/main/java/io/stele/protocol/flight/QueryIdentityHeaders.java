package io.stele.protocol.flight;

import io.grpc.Metadata;
import io.stele.protocol.QueryIdentity;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A codec of the {@link QueryIdentity} in the gRPC headers of a Flight call: {@code stele-user},
 * {@code stele-source}, {@code stele-resource-group} and {@code stele-query-id}, with non-ASCII
 * characters as percent-encoded UTF-8.
 */
public final class QueryIdentityHeaders {
    private static final Metadata.Key<String> USER = key("stele-user");
    private static final Metadata.Key<String> SOURCE = key("stele-source");
    private static final Metadata.Key<String> RESOURCE_GROUP = key("stele-resource-group");
    private static final Metadata.Key<String> QUERY_ID = key("stele-query-id");

    private QueryIdentityHeaders() {}

    /** Adds an identity to headers. */
    public static void put(QueryIdentity identity, Metadata headers) {
        put(USER, identity.user(), headers);
        put(SOURCE, identity.source(), headers);
        put(RESOURCE_GROUP, identity.resourceGroup(), headers);
        put(QUERY_ID, identity.queryId(), headers);
    }

    /** Reads the identity from the headers of a call. */
    public static QueryIdentity get(Metadata headers) {
        return new QueryIdentity(
                decode(headers.get(USER)),
                decode(headers.get(SOURCE)),
                decode(headers.get(RESOURCE_GROUP)),
                decode(headers.get(QUERY_ID)));
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    private static void put(Metadata.Key<String> key, String value, Metadata headers) {
        if (!value.isEmpty()) {
            String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
            headers.put(key, encoded.replace("+", "%20"));
        }
    }

    private static String decode(@Nullable String value) {
        if (value == null) {
            return "";
        }
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return value; // a name with a percent sign, from another client
        }
    }
}
