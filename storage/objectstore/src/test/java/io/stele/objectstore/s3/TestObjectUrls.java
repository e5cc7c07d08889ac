package io.stele.objectstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

final class TestObjectUrls {
    @Test
    void keysAreEncodedButForUnreservedCharactersAndSlashes() {
        ObjectUrls urls = new ObjectUrls("http://h:1/b/");
        assertThat(urls.url("a/b-c.d_e~f/09")).isEqualTo(URI.create("http://h:1/b/a/b-c.d_e~f/09"));
        assertThat(urls.url("a b+c%&=:ä€"))
                .isEqualTo(URI.create("http://h:1/b/a%20b%2Bc%25%26%3D%3A%C3%A4%E2%82%AC"));
        assertThat(urls.url("?#").getRawPath()).isEqualTo("/b/%3F%23");
    }

    @Test
    void bucketsAreWhereTheConfigurationWantsThem() throws IOException {
        assertThat(
                        url(
                                new S3Config()
                                        .setEndpoint("http://127.0.0.1:9000")
                                        .setPathStyleAccess(true)))
                .isEqualTo("http://127.0.0.1:9000/bucket/k%20k");
        assertThat(url(new S3Config().setRegion("eu-central-1")))
                .isEqualTo("https://bucket.s3.eu-central-1.amazonaws.com/k%20k");
    }

    @Test
    void aBucketEndsWithASlash() {
        assertThatThrownBy(() -> new ObjectUrls("http://h/b"))
                .hasMessage("Expected a slash at the end, found http://h/b");
    }

    private static String url(S3Config config) throws IOException {
        try (S3Clients clients =
                S3Clients.of(
                        config.setAwsAccessKey("key").setAwsSecretKey("secret"),
                        new ServiceClock(InstantSource.system()))) {
            return clients.urls("bucket").url("k k").toString();
        }
    }
}
