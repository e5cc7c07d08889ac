package io.stele.sidecar.postgresql;

import static com.google.common.base.Preconditions.checkArgument;

import io.stele.sidecar.postgresql.trino.TrinoGateway;
import java.net.URI;
import java.util.Optional;

/**
 * A factory of the gateway to Trino, by which clients of PostgreSQL and Flight SQL run statements,
 * if the settings name a coordinator.
 */
public final class TrinoGateways {
    private TrinoGateways() {}

    /**
     * Creates the gateway, without a connection yet.
     *
     * @throws IllegalArgumentException if the settings do not fit together; the message names them
     */
    public static Optional<TrinoGateway> of(PostgresConfig config) {
        return config.getTrinoUri().map(uri -> gateway(uri, config));
    }

    private static TrinoGateway gateway(URI uri, PostgresConfig config) {
        checkArgument(
                config.getTrinoUser().isPresent() == config.getTrinoPassword().isPresent(),
                "Expected both stele.postgresql.trino-user and stele.postgresql.trino-password, or"
                        + " none of them, found one");
        checkArgument(
                config.getTrinoUser().isEmpty() || "https".equals(uri.getScheme()),
                "Expected an https address as stele.postgresql.trino-uri, since a password is sent"
                        + " there, found %s",
                uri);
        return new TrinoGateway(
                uri,
                config.getTrinoCatalog(),
                config.getTrinoUser()
                        .map(
                                user ->
                                        new TrinoGateway.Login(
                                                user, config.getTrinoPassword().orElseThrow())));
    }
}
