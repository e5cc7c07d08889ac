package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.retrieval.ByteRange;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;

/** The oracle is the SDK's signer. */
final class TestS3Signer {
    private static final AwsCredentials KEY = AwsBasicCredentials.create("AKIDEXAMPLE", "secret/+");
    private static final AwsCredentials SESSION =
            AwsSessionCredentials.create("ASIAEXAMPLE", "other", "token/with+characters==");

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-11-23T23:59:59Z"));
    private final ServiceClock clock = new ServiceClock(now::get);

    /**
     * Of the S3 API's reference, "Example: GET Object", but that Java has no space behind colons.
     */
    @Test
    void signsWhatTheReferenceSigns() throws IOException {
        now.set(Instant.parse("2013-05-24T00:00:00Z"));
        AwsCredentials credentials =
                AwsBasicCredentials.create(
                        "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        String head =
                head(
                        credentials,
                        URI.create("https://examplebucket.s3.amazonaws.com/test.txt"),
                        new ByteRange(0, 10),
                        false);
        assertThat(head)
                .startsWith("GET /test.txt HTTP/1.1\r\nhost:examplebucket.s3.amazonaws.com\r\n")
                .contains("\r\nrange:bytes=0-9\r\n")
                .contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date")
                .contains(
                        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
                .endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:9000/bucket/",
                "http://[::1]:9000/bucket/",
                "http://localhost:80/",
                "https://bucket.s3.eu-central-1.amazonaws.com/",
                "https://store.example:443/bucket/"
            })
    void signsAsTheSdkDoes(String bucket) throws IOException {
        Random random = new Random(7);
        for (int round = 0; round < 50; round++) {
            String key = randomKey(random);
            URI url = new ObjectUrls(bucket).url(key);
            ByteRange range = new ByteRange(random.nextLong(1L << 40), 1 + random.nextInt(1 << 24));
            AwsCredentials credentials = random.nextBoolean() ? KEY : SESSION;
            boolean withChecksum = random.nextBoolean();
            now.updateAndGet(time -> time.plusSeconds(random.nextInt(40_000)));
            assertThat(headers(head(credentials, url, range, withChecksum)))
                    .as(url.toString())
                    .containsExactlyInAnyOrderEntriesOf(
                            signedBySdk(credentials, url, range, withChecksum));
        }
    }

    /** The key is made of the day and the secret: both change below one signer. */
    @Test
    void keysAreMadeAnewForAnotherDayAndAnotherSecret() throws IOException {
        AtomicReference<AwsCredentials> credentials = new AtomicReference<>(KEY);
        S3Signer signer = new S3Signer(credentials::get, "eu-central-1", clock);
        URI url = URI.create("http://127.0.0.1:9000/bucket/a");
        ByteRange range = new ByteRange(0, 1);
        for (AwsCredentials next : new AwsCredentials[] {KEY, SESSION, KEY}) {
            credentials.set(next);
            now.updateAndGet(time -> time.plusSeconds(1));
            for (int i = 0; i < 2; i++) {
                assertThat(headers(new String(signer.head(url, range, true), ISO_8859_1)))
                        .containsExactlyInAnyOrderEntriesOf(signedBySdk(next, url, range, true));
            }
        }
    }

    /** A machine whose clock is an hour behind is told the time by the first refusal. */
    @Test
    void signsByTheClockOfTheServiceOnceItIsTold() throws IOException {
        S3Signer signer =
                new S3Signer(StaticCredentialsProvider.create(KEY), "eu-central-1", clock);
        URI url = URI.create("http://127.0.0.1:9000/bucket/a");
        assertThat(clock.correct("no date")).isFalse();
        assertThat(clock.correct("Tue, 24 Nov 2026 20:00:00 GMT")).isTrue();
        now.updateAndGet(time -> time.plusSeconds(5));
        assertThat(new String(signer.head(url, new ByteRange(0, 1), false), ISO_8859_1))
                .contains("x-amz-date:20261124T200005Z")
                .contains("/20261124/eu-central-1/s3/aws4_request");
    }

    @Test
    void saysThatThereAreNoCredentials() {
        S3Signer signer =
                new S3Signer(
                        () -> {
                            throw SdkClientException.create("nothing is configured");
                        },
                        "eu-central-1",
                        clock);
        assertThatThrownBy(
                        () -> signer.head(URI.create("http://h/b/k"), new ByteRange(0, 1), false))
                .isInstanceOf(IOException.class)
                .hasMessage("Cannot find credentials for S3: nothing is configured");
    }

    private String head(AwsCredentials credentials, URI url, ByteRange range, boolean withChecksum)
            throws IOException {
        S3Signer signer =
                new S3Signer(
                        StaticCredentialsProvider.create(credentials), region(credentials), clock);
        return new String(signer.head(url, range, withChecksum), ISO_8859_1);
    }

    private static String region(AwsCredentials credentials) {
        return credentials.accessKeyId().equals("AKIAIOSFODNN7EXAMPLE")
                ? "us-east-1"
                : "eu-central-1";
    }

    private Map<String, String> signedBySdk(
            AwsCredentials credentials, URI url, ByteRange range, boolean withChecksum) {
        SdkHttpRequest.Builder request =
                SdkHttpRequest.builder()
                        .method(SdkHttpMethod.GET)
                        .uri(url)
                        .putHeader("Range", range.header());
        if (withChecksum) {
            request.putHeader("x-amz-checksum-mode", "ENABLED");
        }
        SdkHttpRequest signed =
                AwsV4HttpSigner.create()
                        .sign(
                                sign ->
                                        sign.identity(credentials)
                                                .request(request.build())
                                                .putProperty(
                                                        AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                                                .putProperty(
                                                        AwsV4HttpSigner.REGION_NAME, "eu-central-1")
                                                .putProperty(
                                                        AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                                                .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                                                .putProperty(
                                                        AwsV4HttpSigner.SIGNING_CLOCK,
                                                        Clock.fixed(now.get(), ZoneOffset.UTC)))
                        .request();
        Map<String, String> headers = new TreeMap<>();
        signed.headers()
                .forEach(
                        (name, values) ->
                                headers.put(
                                        name.toLowerCase(Locale.ROOT), String.join(",", values)));
        headers.put("path", signed.encodedPath());
        return headers;
    }

    private static Map<String, String> headers(String head) {
        assertThat(head).startsWith("GET ").endsWith("\r\n\r\n");
        Map<String, String> headers =
                Arrays.stream(head.split("\r\n"))
                        .skip(1)
                        .map(line -> line.split(":", 2))
                        .collect(toMap(pair -> pair[0], pair -> pair[1]));
        headers.put("path", head.substring(4, head.indexOf(" HTTP/1.1\r\n")));
        return headers;
    }

    private static String randomKey(Random random) {
        StringBuilder key = new StringBuilder("k");
        String alphabet = "abcXYZ019-._~/ +%&=:@!$'()*,;?#[]äß€🙂";
        int[] points = alphabet.codePoints().toArray();
        for (int i = random.nextInt(40); i > 0; i--) {
            int next = points[random.nextInt(points.length)];
            if (next != '/' || key.charAt(key.length() - 1) != '/') {
                key.appendCodePoint(next);
            }
        }
        return key.toString();
    }
}
