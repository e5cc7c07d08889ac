package io.stele.objectstore.retrieval.http;

import java.time.Duration;
import java.util.Locale;

/**
 * Limits of connections.
 *
 * @param threads that run them
 * @param maxIdleConnections idle connections that a thread pools
 * @param connectTimeoutNanos to make one
 * @param silenceTimeoutNanos within a request
 */
public record HttpOptions(
        int threads, int maxIdleConnections, long connectTimeoutNanos, long silenceTimeoutNanos) {
    public HttpOptions {
        if (threads < 1
                || maxIdleConnections < 0
                || connectTimeoutNanos < 1
                || silenceTimeoutNanos < 1) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected at least one thread and times above 0, found %d, %d, %d ns and %d ns",
                            threads,
                            maxIdleConnections,
                            connectTimeoutNanos,
                            silenceTimeoutNanos));
        }
    }

    public static HttpOptions of(
            int threads, int maxIdleConnections, Duration connectTimeout, Duration silenceTimeout) {
        return new HttpOptions(
                threads, maxIdleConnections, connectTimeout.toNanos(), silenceTimeout.toNanos());
    }
}
