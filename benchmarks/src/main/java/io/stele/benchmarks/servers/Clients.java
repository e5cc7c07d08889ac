package io.stele.benchmarks.servers;

import io.stele.client.SteleClient;
import io.stele.client.auth.TokenSource;
import io.stele.client.flight.FlightClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Optional;
import java.util.Properties;

/**
 * The factory of clients of a run's sidecar: Stele's Java client, PostgreSQL's JDBC driver and
 * Flight.
 */
public final class Clients {
    private static final String HOST = "127.0.0.1";

    private Clients() {}

    public static SteleClient stele(Run run) {
        return SteleClient.builder()
                .endpoint(HOST, run.port("sidecar.client.port"))
                .secret(run.secret())
                .build();
    }

    /**
     * A connection of PostgreSQL's JDBC driver.
     *
     * @param schema of unqualified tables
     */
    public static Connection postgresql(Run run, String schema) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "stele");
        properties.setProperty("password", run.secret());
        properties.setProperty("currentSchema", schema);
        return DriverManager.getConnection(
                "jdbc:postgresql://%s:%s/stele"
                        .formatted(HOST, run.port("sidecar.postgresql.port")),
                properties);
    }

    public static FlightClient flight(Run run) {
        return new FlightClient(
                HOST,
                run.port("sidecar.flight.port"),
                Optional.empty(),
                new TokenSource(run.secret(), Clock.systemUTC(), "benchmark"));
    }
}
