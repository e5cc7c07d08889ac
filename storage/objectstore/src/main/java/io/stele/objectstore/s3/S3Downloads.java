package io.stele.objectstore.s3;

import io.stele.objectstore.retrieval.DownloadManager;
import io.stele.objectstore.retrieval.RangeSource;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalRuntime;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.objectstore.retrieval.RetryPolicy;
import io.stele.objectstore.retrieval.http.EndpointResolver;
import io.stele.objectstore.retrieval.http.EventLoop;
import io.stele.objectstore.retrieval.http.HttpOptions;
import io.stele.objectstore.retrieval.http.HttpRangeClient;
import java.io.IOException;
import java.net.InetAddress;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;

/**
 * A factory of the download manager of an S3 bucket, with its HTTP connections and its range
 * source.
 */
final class S3Downloads {
    /** S3 returns other addresses every few seconds, and each address is valid for long. */
    private static final Duration LOOKUP_EVERY = Duration.ofSeconds(10);

    private static final Duration KEEP_ADDRESSES = Duration.ofMinutes(2);

    private S3Downloads() {}

    /**
     * Starts a download manager.
     *
     * @throws IOException if no selector can be opened, or TLS is not available
     */
    static DownloadManager start(
            S3Location location,
            S3Config config,
            RetrievalConfig retrieval,
            S3Clients clients,
            RandomGenerator random,
            RetrievalThreads threads)
            throws IOException {
        RetryPolicy retries = RetryPolicy.ofAttempts(config.getMaxErrorRetries() + 1);
        HttpRangeClient connections = connections(config, retrieval, threads);
        EventLoop timers = connections.timers();
        S3Checksums checksums = new S3Checksums(config.isChecksumsEnabled());
        RangeSource source =
                switch (retrieval.getClient()) {
                    case DIRECT -> {
                        ObjectUrls urls = clients.urls(location.bucket());
                        yield new S3RangeSource(
                                connections,
                                new S3Signer(
                                        clients.credentials(), clients.region(), clients.clock()),
                                clients.clock(),
                                path -> urls.url(location.key(path)),
                                path -> location + "/" + path,
                                checksums,
                                threads::run);
                    }
                    case SDK ->
                            new SdkRangeSource(
                                    clients.once(),
                                    location.bucket(),
                                    location::key,
                                    path -> location + "/" + path,
                                    checksums,
                                    threads::run,
                                    connections);
                };
        return new DownloadManager(
                source,
                retrieval.options(retries),
                new RetrievalRuntime(threads.nanoTime(), random, timers, threads::run));
    }

    private static HttpRangeClient connections(
            S3Config config, RetrievalConfig retrieval, RetrievalThreads threads)
            throws IOException {
        return HttpRangeClient.start(
                HttpOptions.of(
                        retrieval.getThreads(),
                        config.getMaxConnections(),
                        config.getSocketConnectTimeout().toJavaTime(),
                        config.getSocketTimeout().toJavaTime()),
                tls(),
                new EndpointResolver(
                        InetAddress::getAllByName,
                        threads.nanoTime(),
                        LOOKUP_EVERY.toNanos(),
                        KEEP_ADDRESSES.toNanos()),
                threads.loops(),
                threads.nanoTime(),
                threads.uncaught());
    }

    private static SSLContext tls() throws IOException {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("Cannot set up TLS", e);
        }
    }
}
