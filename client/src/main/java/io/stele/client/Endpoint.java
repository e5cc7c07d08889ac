package io.stele.client;

import static java.util.Objects.requireNonNull;

/** The network address of a sidecar's server: host and port. */
public record Endpoint(String host, int port) {
    public Endpoint {
        requireNonNull(host, "host is null");
        if (host.isBlank()) {
            throw new IllegalArgumentException("Expected a host, found a blank");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("Expected a port from 1 to 65535, found " + port);
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
