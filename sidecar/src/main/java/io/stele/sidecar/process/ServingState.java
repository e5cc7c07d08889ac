package io.stele.sidecar.process;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The serving state of the sidecar: the ports of its endpoints while it serves, and nothing before
 * and after. Thread-safe: one volatile reference to an immutable value.
 */
public final class ServingState {
    private volatile Optional<Ports> ports = Optional.empty();

    /** The ports in use; empty before they are open and after shutdown has begun. */
    public Optional<Ports> ports() {
        return ports;
    }

    public void serving(Ports open) {
        ports = Optional.of(open);
    }

    public void stopping() {
        ports = Optional.empty();
    }

    /**
     * The TCP ports of the servers.
     *
     * @param postgresqlPort if PostgreSQL's protocol is served
     */
    public record Ports(int httpPort, int flightPort, int clientPort, OptionalInt postgresqlPort) {}
}
