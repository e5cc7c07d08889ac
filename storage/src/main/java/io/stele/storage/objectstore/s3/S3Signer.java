package io.stele.storage.objectstore.s3;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import io.stele.storage.retrieval.ByteRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/**
 * Heads of GETs with a signature by the SDK's signer (SigV4) and credentials from the SDK's chain.
 * Thread-safe.
 */
final class S3Signer {
    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
    private final AwsCredentialsProvider credentials;
    private final String region;

    S3Signer(AwsCredentialsProvider credentials, String region) {
        this.credentials = requireNonNull(credentials, "credentials is null");
        this.region = requireNonNull(region, "region is null");
    }

    /**
     * The head of a request for a range, with its empty line. May block while credentials are
     * fetched.
     *
     * @param withChecksum whether the service is asked for the object's
     * @throws IOException if there are none
     */
    byte[] head(URI url, ByteRange range, boolean withChecksum) throws IOException {
        SdkHttpRequest.Builder builder =
                SdkHttpRequest.builder()
                        .method(SdkHttpMethod.GET)
                        .uri(url)
                        .putHeader("Range", range.header());
        if (withChecksum) {
            builder.putHeader(S3Checksums.MODE_HEADER, S3Checksums.MODE_ENABLED);
        }
        SdkHttpRequest request = builder.build();
        AwsCredentialsIdentity identity = identity();
        SignedRequest signed =
                signer.sign(
                        sign ->
                                sign.identity(identity)
                                        .request(request)
                                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                                        .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                                        .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                                        .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                                        .putProperty(
                                                AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false));
        return head(signed.request());
    }

    private AwsCredentialsIdentity identity() throws IOException {
        try {
            return credentials.resolveIdentity().join();
        } catch (CompletionException | SdkException | UncheckedIOException e) {
            throw new IOException("Cannot find credentials for S3: " + e.getMessage(), e);
        }
    }

    private static byte[] head(SdkHttpRequest request) throws IOException {
        StringBuilder head = new StringBuilder(1024);
        head.append("GET ").append(request.encodedPath());
        request.encodedQueryParameters().ifPresent(query -> head.append('?').append(query));
        head.append(" HTTP/1.1\r\n");
        if (request.firstMatchingHeader("Host").isEmpty()) {
            throw new IOException("Expected a signed host, found none");
        }
        for (Map.Entry<String, List<String>> header : request.headers().entrySet()) {
            for (String value : header.getValue()) {
                head.append(header.getKey()).append(": ").append(value).append("\r\n");
            }
        }
        return head.append("\r\n").toString().getBytes(ISO_8859_1);
    }
}
