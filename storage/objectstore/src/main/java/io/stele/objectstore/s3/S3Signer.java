package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.objectstore.Sha256;
import io.stele.objectstore.retrieval.ByteRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;

/**
 * An encoder and signer of GET requests to S3 (SigV4 of the S3 API, "Authenticating Requests: Using
 * the Authorization Header"), with credentials from the SDK's chain. The SDK's signer produces the
 * same bytes, but until its code is compiled it takes more processor time than the rest of a
 * request of 1 MiB. Thread-safe.
 */
final class S3Signer {
    private static final String EMPTY_BODY_SHA256 =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);
    private static final int DAY_CHARACTERS = 8;

    private final AwsCredentialsProvider credentials;
    private final SigningKeys keys;
    private final ServiceClock clock;

    S3Signer(AwsCredentialsProvider credentials, String region, ServiceClock clock) {
        this.credentials = requireNonNull(credentials, "credentials is null");
        this.keys = new SigningKeys(region);
        this.clock = requireNonNull(clock, "clock is null");
    }

    /**
     * The encoded head of a request for a range, with its final empty line. May block while
     * credentials are fetched.
     *
     * @param url without a query, its path as S3 encodes paths
     * @param withChecksum whether to request the object's checksum
     * @throws IOException if there are no credentials
     */
    byte[] head(URI url, ByteRange range, boolean withChecksum) throws IOException {
        AwsCredentialsIdentity identity = identity();
        String time = TIME.format(clock.instant());
        List<String> headers = headers(url, range, withChecksum, time, identity);
        String path = url.getRawPath();
        String names = String.join(";", headers.stream().map(S3Signer::name).toList());
        String canonical =
                new StringBuilder(512)
                        .append("GET\n")
                        .append(path)
                        .append("\n\n")
                        .append(String.join("\n", headers))
                        .append("\n\n")
                        .append(names)
                        .append('\n')
                        .append(EMPTY_BODY_SHA256)
                        .toString();
        String day = time.substring(0, DAY_CHARACTERS);
        String scope = keys.scope(day);
        String text = "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + sha256(canonical);
        byte[] signature = keys.sign(text, day, identity.secretAccessKey());
        return new StringBuilder(1024)
                .append("GET ")
                .append(path)
                .append(" HTTP/1.1\r\n")
                .append(String.join("\r\n", headers))
                .append("\r\nauthorization:AWS4-HMAC-SHA256 Credential=")
                .append(identity.accessKeyId())
                .append('/')
                .append(scope)
                .append(", SignedHeaders=")
                .append(names)
                .append(", Signature=")
                .append(HexFormat.of().formatHex(signature))
                .append("\r\n\r\n")
                .toString()
                .getBytes(ISO_8859_1);
    }

    /** All signed headers, as {@code name:value}, in the order of their names. */
    private static List<String> headers(
            URI url,
            ByteRange range,
            boolean withChecksum,
            String time,
            AwsCredentialsIdentity identity) {
        List<String> headers = new ArrayList<>();
        headers.add("host:" + host(url));
        headers.add("range:" + range.header());
        if (withChecksum) {
            headers.add(S3Checksums.MODE_HEADER + ":" + S3Checksums.MODE_ENABLED);
        }
        headers.add("x-amz-content-sha256:" + EMPTY_BODY_SHA256);
        headers.add("x-amz-date:" + time);
        if (identity instanceof AwsSessionCredentialsIdentity session) {
            headers.add("x-amz-security-token:" + session.sessionToken());
        }
        return headers;
    }

    private static String name(String header) {
        return header.substring(0, header.indexOf(':'));
    }

    /** The host of a URL, with its port unless that is the default of the scheme. */
    private static String host(URI url) {
        int usual = url.getScheme().equalsIgnoreCase("https") ? 443 : 80;
        return url.getPort() < 0 || url.getPort() == usual
                ? url.getHost()
                : url.getHost() + ":" + url.getPort();
    }

    private AwsCredentialsIdentity identity() throws IOException {
        try {
            return credentials.resolveIdentity().join();
        } catch (CompletionException | SdkException | UncheckedIOException e) {
            throw new IOException("Cannot find credentials for S3: " + e.getMessage(), e);
        }
    }

    private static String sha256(String text) {
        return Sha256.hex(text.getBytes(UTF_8));
    }
}
