package io.stele.objectstore.s3;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.function.Function;
import javax.xml.stream.XMLStreamException;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.auth.scheme.S3AuthSchemeProvider;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * The two SDK clients of an S3 store, with shared connections: one retries transient failures, the
 * other sends each request once. The second client is for creations, whose repetition has another
 * meaning. Thread-safe.
 */
final class S3Clients implements AutoCloseable {
    /** How often a response may be cut within its XML before the call fails. */
    private static final int CUT_ANSWERS = 4;

    private final SdkHttpClient connections;
    private final S3Client repeating;
    private final S3Client once;
    private final AwsCredentialsProvider credentials;
    private final ServiceClock clock;

    private S3Clients(
            SdkHttpClient connections,
            S3Client repeating,
            S3Client once,
            AwsCredentialsProvider credentials,
            ServiceClock clock) {
        this.credentials = credentials;
        this.clock = clock;
        this.connections = connections;
        this.repeating = repeating;
        this.once = once;
    }

    /**
     * Creates the clients; sends no request.
     *
     * @param clock the time of signatures, which refusals correct
     */
    static S3Clients of(S3Config config, ServiceClock clock) {
        SdkHttpClient connections =
                Apache5HttpClient.builder()
                        .maxConnections(config.getMaxConnections())
                        .connectionTimeout(config.getSocketConnectTimeout().toJavaTime())
                        // A caller that waits for a connection waits for the end of another request
                        .connectionAcquisitionTimeout(config.getSocketTimeout().toJavaTime())
                        .socketTimeout(config.getSocketTimeout().toJavaTime())
                        .tcpKeepAlive(true)
                        .build();
        RetryStrategy retries =
                AwsRetryStrategy.standardRetryStrategy().toBuilder()
                        .maxAttempts(config.getMaxErrorRetries() + 1)
                        .build();
        AwsCredentialsProvider credentials = credentials(config);
        return new S3Clients(
                connections,
                client(config, connections, credentials, clock, retries),
                client(config, connections, credentials, clock, AwsRetryStrategy.doNotRetry()),
                credentials,
                clock);
    }

    /** The provider of the requests' credentials. */
    AwsCredentialsProvider credentials() {
        return credentials;
    }

    /** The clock of signatures. */
    ServiceClock clock() {
        return clock;
    }

    /** The region of signatures. */
    String region() {
        return repeating.serviceClientConfiguration().region().id();
    }

    /**
     * The URLs of a bucket's objects, with the bucket in the host name or in the path, as
     * configured.
     */
    ObjectUrls urls(String bucket) {
        String any = repeating.utilities().getUrl(get -> get.bucket(bucket).key("x")).toString();
        return new ObjectUrls(any.substring(0, any.length() - 1));
    }

    /** The client that sends each request once. */
    S3Client once() {
        return once;
    }

    private static S3Client client(
            S3Config config,
            SdkHttpClient connections,
            AwsCredentialsProvider credentials,
            ServiceClock clock,
            RetryStrategy retries) {
        S3ClientBuilder builder =
                S3Client.builder()
                        .httpClient(connections)
                        .credentialsProvider(credentials)
                        .forcePathStyle(config.isPathStyleAccess())
                        // S3Checksums sends and requests the checksums instead
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                        .authSchemeProvider(signedBy(clock))
                        .overrideConfiguration(
                                override ->
                                        override.retryStrategy(retries)
                                                .addExecutionInterceptor(
                                                        new ClockCorrection(clock)));
        config.getEndpoint()
                .ifPresent(
                        endpoint -> {
                            builder.endpointOverride(URI.create(endpoint));
                            // A self-hosted service seldom has regions, but signatures need one
                            builder.region(Region.US_EAST_1);
                        });
        config.getRegion().ifPresent(region -> builder.region(Region.of(region)));
        return builder.build();
    }

    /** The signing of the SDK with this clock. */
    private static S3AuthSchemeProvider signedBy(ServiceClock clock) {
        S3AuthSchemeProvider schemes = S3AuthSchemeProvider.defaultProvider();
        return request ->
                schemes.resolveAuthScheme(request).stream()
                        .map(
                                scheme ->
                                        scheme.toBuilder()
                                                .putSignerProperty(HttpSigner.SIGNING_CLOCK, clock)
                                                .build())
                        .toList();
    }

    private static AwsCredentialsProvider credentials(S3Config config) {
        return config.getAwsAccessKey()
                .<AwsCredentialsProvider>map(
                        key ->
                                StaticCredentialsProvider.create(
                                        AwsBasicCredentials.create(
                                                key, config.getAwsSecretKey().orElseThrow())))
                .orElseGet(() -> DefaultCredentialsProvider.builder().build());
    }

    /** Sends a request that may be repeated: reads, deletions, parts of an upload. */
    <T> T repeat(Function<S3Client, T> request) {
        for (int attempt = 1; ; attempt++) {
            try {
                return send(repeating, request);
            } catch (CutAnswer e) {
                if (attempt == CUT_ANSWERS) {
                    throw e.failure;
                }
            }
        }
    }

    /** Sends a request that creates an object, once. */
    <T> T once(Function<S3Client, T> request) {
        try {
            return send(once, request);
        } catch (CutAnswer e) {
            throw e.failure;
        }
    }

    /**
     * Sends a request, and sends it once more if it was refused because of our clock: a refused
     * request had no effect.
     */
    private <T> T send(S3Client client, Function<S3Client, T> request) throws CutAnswer {
        Duration before = clock.skew();
        try {
            return read(client, request);
        } catch (S3Exception refusal) {
            if (refusal.statusCode() != S3Failures.FORBIDDEN || clock.skew().equals(before)) {
                throw refusal;
            }
            return read(client, request);
        }
    }

    private static <T> T read(S3Client client, Function<S3Client, T> request) throws CutAnswer {
        try {
            return request.apply(client);
        } catch (RuntimeException e) {
            if (isCut(e)) {
                throw new CutAnswer(
                        RetryableException.create("Cannot read the answer: " + e.getMessage(), e));
            }
            throw e;
        }
    }

    /**
     * Whether an answer ended within its XML. The SDK does not repeat the request then, and where
     * it was an error that was cut, it does not wrap the failure either.
     */
    private static boolean isCut(RuntimeException failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof XMLStreamException
                    || (at instanceof IOException && !(failure instanceof SdkException))) {
                return true;
            }
        }
        return false;
    }

    private static final class CutAnswer extends Exception {
        private static final long serialVersionUID = 1;

        private final RetryableException failure;

        CutAnswer(RetryableException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    @Override
    public void close() {
        repeating.close();
        once.close();
        connections.close();
    }
}
