package io.stele.objectstore.retrieval.http;

import java.time.Duration;
import java.util.Locale;

/**
 * The limits and timeouts of the connections of an {@link HttpRangeClient}.
 *
 * @param threads that run the connections
 * @param maxIdleConnections the greatest number of idle connections of each thread
 * @param connectTimeoutNanos the greatest time to make a connection
 * @param silenceTimeoutNanos the greatest time without received bytes within a request
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
