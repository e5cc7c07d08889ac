package io.stele.flink.option;

import static java.util.Objects.requireNonNull;

import io.stele.client.ClientSettings;
import io.stele.client.SteleClient;
import io.stele.client.auth.ClientTls;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * The connection options of a table or catalog: endpoints, secret, TLS and timeouts. Immutable, and
 * serialized into jobs. It opens clients, which the callers own.
 *
 * @param trustedCertificates PEM file; null: the certificates that the JDK trusts
 */
public record ConnectionOptions(
        List<String> endpoints,
        String secret,
        boolean tls,
        @Nullable String trustedCertificates,
        Duration connectTimeout,
        Duration unavailableTimeout,
        Duration busyTimeout)
        implements Serializable {
    private static final int MAX_PORT = 65_535;

    public ConnectionOptions {
        endpoints =
                new ArrayList<>(
                        endpoints); // an implementation that Java can serialize on every version
        requireNonNull(secret, "secret is null");
        requireNonNull(connectTimeout, "connectTimeout is null");
        requireNonNull(unavailableTimeout, "unavailableTimeout is null");
        requireNonNull(busyTimeout, "busyTimeout is null");
        if (endpoints.isEmpty()) {
            throw new ValidationException(
                    "Expected at least one sidecar in option '%s', found none"
                            .formatted(SteleOptions.ENDPOINTS.key()));
        }
        endpoints.forEach(ConnectionOptions::port);
    }

    /** The connection options of a table or catalog. */
    public static ConnectionOptions of(ReadableConfig config) {
        return new ConnectionOptions(
                required(config, SteleOptions.ENDPOINTS),
                required(config, SteleOptions.SECRET),
                config.get(SteleOptions.TLS_ENABLED),
                config.getOptional(SteleOptions.TLS_TRUSTED_CERTIFICATES).orElse(null),
                config.get(SteleOptions.CONNECT_TIMEOUT),
                config.get(SteleOptions.UNAVAILABLE_TIMEOUT),
                config.get(SteleOptions.BUSY_TIMEOUT));
    }

    /**
     * The value of a required option.
     *
     * @throws ValidationException the option is missing
     */
    public static <T> T required(
            ReadableConfig config, org.apache.flink.configuration.ConfigOption<T> option) {
        return config.getOptional(option)
                .orElseThrow(
                        () ->
                                new ValidationException(
                                        "Expected option '%s', found none"
                                                .formatted(option.key())));
    }

    /** Opens a client with the default settings for batches. The caller closes it. */
    public SteleClient open(String name) {
        return open(name, UnaryOperator.identity());
    }

    /**
     * Opens a client. The caller closes it.
     *
     * @param name the caller, for the sidecar's logs
     */
    public SteleClient open(String name, UnaryOperator<ClientSettings> settings) {
        SteleClient.Builder builder =
                SteleClient.builder()
                        .secret(secret)
                        .name(name)
                        .settings(
                                settings.apply(
                                        ClientSettings.DEFAULT
                                                .withConnectTimeout(connectTimeout)
                                                .withUnavailableTimeout(unavailableTimeout)
                                                .withBusyTimeout(busyTimeout)));
        for (String endpoint : endpoints) {
            builder.endpoint(host(endpoint), port(endpoint));
        }
        if (tls) {
            builder.tls(new ClientTls(Optional.ofNullable(trustedCertificates).map(Path::of)));
        }
        return builder.build();
    }

    private static String host(String endpoint) {
        return endpoint.substring(0, endpoint.lastIndexOf(':'));
    }

    private static int port(String endpoint) {
        int colon = endpoint.lastIndexOf(':');
        try {
            int port = Integer.parseInt(endpoint.substring(colon + 1));
            if (colon > 0 && port > 0 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException none) {
            // the message below says it
        }
        throw new ValidationException(
                "Expected host:port in option '%s', found '%s'"
                        .formatted(SteleOptions.ENDPOINTS.key(), endpoint));
    }

    /** The endpoints, without the secret. */
    @Override
    public String toString() {
        return String.join(";", endpoints);
    }
}
