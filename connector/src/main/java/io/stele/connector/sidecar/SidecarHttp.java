package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import io.stele.client.auth.ClientTls;
import io.stele.client.auth.TokenSource;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** A client of a sidecar's HTTP endpoint, for its ports and its status. Thread-safe. */
final class SidecarHttp implements AutoCloseable {
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;

    private final URI uri;
    private final Duration timeout;
    private final TokenSource tokens;
    private final HttpClient client;

    SidecarHttp(URI uri, Duration timeout, Optional<ClientTls> tls, TokenSource tokens) {
        this.uri = requireNonNull(uri, "uri is null");
        this.timeout = requireNonNull(timeout, "timeout is null");
        this.tokens = requireNonNull(tokens, "tokens is null");
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(timeout);
        tls.ifPresent(trust -> builder.sslContext(trust.sslContext()));
        this.client = builder.build();
    }

    /**
     * Gets the JSON at a path.
     *
     * @throws SteleException naming the URI. UNAUTHENTICATED: status 401. UNAVAILABLE: another
     *     status than 200, no connection, or an interrupt. INVALID_ARGUMENT, without the URI: the
     *     body is not this JSON
     */
    <T> T get(String path, Class<T> type) {
        HttpRequest request = request(path);
        HttpResponse<byte[]> response = send(request);
        if (response.statusCode() != OK) {
            throw unexpected(request, response);
        }
        return ApiJson.read(response.body(), type);
    }

    /** As {@link #get}; empty if the sidecar does not have the path. */
    <T> Optional<T> find(String path, Class<T> type) {
        HttpRequest request = request(path);
        HttpResponse<byte[]> response = send(request);
        return switch (response.statusCode()) {
            case OK -> Optional.of(ApiJson.read(response.body(), type));
            case NOT_FOUND -> Optional.empty();
            default -> throw unexpected(request, response);
        };
    }

    private static SteleException unexpected(HttpRequest request, HttpResponse<byte[]> response) {
        return new SteleException(
                response.statusCode() == 401 ? ErrorCode.UNAUTHENTICATED : ErrorCode.UNAVAILABLE,
                "Expected status 200 from the Stele sidecar at %s, found %s"
                        .formatted(request.uri(), response.statusCode()));
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(uri.resolve(path))
                .timeout(timeout)
                .header("Authorization", tokens.bearer())
                .GET()
                .build();
    }

    private HttpResponse<byte[]> send(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "Cannot reach the Stele sidecar at %s: %s".formatted(uri, describe(e)),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(
                    ErrorCode.UNAVAILABLE, "Interrupted while asking the sidecar at " + uri, e);
        }
    }

    @Override
    public void close() {
        client.close();
    }

    private static String describe(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
