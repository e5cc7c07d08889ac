package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/**
 * The network address of a sidecar: its host and the ports of its endpoints.
 *
 * @param host name or address; empty: the host that the caller used, so that a sidecar behind any
 *     name works
 * @param clientPort port of the framed protocol
 * @param flightPort port of Arrow Flight
 */
public record NodeAddress(String nodeId, String host, int clientPort, int flightPort) {
    public NodeAddress {
        requireNonNull(nodeId, "nodeId is null");
        requireNonNull(host, "host is null");
        checkPort("clientPort", clientPort);
        checkPort("flightPort", flightPort);
    }

    /**
     * The host of this address, for a caller that reached the replying sidecar as {@code
     * callerHost}.
     */
    public String hostOr(String callerHost) {
        return host.isEmpty() ? callerHost : host;
    }

    private static void checkPort(String what, int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException(
                    "Expected a " + what + " from 0 to 65535, found " + port);
        }
    }
}
