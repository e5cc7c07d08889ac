package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.util.Locale;

/**
 * The target of HTTP connections: scheme, host and port.
 *
 * @param secure whether connections are encrypted
 * @param host name or address, without brackets
 */
public record Endpoint(boolean secure, String host, int port) {
    public Endpoint {
        requireNonNull(host, "host is null");
        if (host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException(
                    "Expected a host and a port, found '%s' and %d".formatted(host, port));
        }
    }

    /**
     * The endpoint of a URL.
     *
     * @throws IllegalArgumentException if it is no HTTP or HTTPS URL
     */
    public static Endpoint of(URI url) {
        String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https") || url.getHost() == null) {
            throw new IllegalArgumentException(
                    "Expected http://host or https://host, found " + url);
        }
        boolean secure = scheme.equals("https");
        String host = url.getHost();
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new Endpoint(secure, bare, url.getPort() > 0 ? url.getPort() : secure ? 443 : 80);
    }
}
