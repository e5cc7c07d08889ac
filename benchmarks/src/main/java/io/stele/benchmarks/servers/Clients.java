package io.stele.benchmarks.servers;

import io.stele.client.SteleClient;
import io.stele.client.auth.TokenSource;
import io.stele.client.flight.FlightClient;
import java.time.Clock;
import java.util.Optional;

/** Clients of a run's sidecar. */
public final class Clients {
    private static final String HOST = "127.0.0.1";

    private Clients() {}

    public static SteleClient stele(Run run) {
        return SteleClient.builder()
                .endpoint(HOST, run.port("sidecar.client.port"))
                .secret(run.secret())
                .build();
    }

    public static FlightClient flight(Run run) {
        return new FlightClient(
                HOST,
                run.port("sidecar.flight.port"),
                Optional.empty(),
                new TokenSource(run.secret(), Clock.systemUTC(), "benchmark"));
    }
}
