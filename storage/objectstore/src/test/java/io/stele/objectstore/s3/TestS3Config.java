package io.stele.objectstore.s3;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.units.DataSize;
import io.airlift.units.DataSize.Unit;
import io.airlift.units.Duration;
import io.stele.objectstore.s3.S3Config.SseType;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestS3Config {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(S3Config.class)
                        .setEndpoint(null)
                        .setRegion(null)
                        .setAwsAccessKey(null)
                        .setAwsSecretKey(null)
                        .setPathStyleAccess(false)
                        .setSseType(SseType.NONE)
                        .setSseKmsKeyId(null)
                        .setChecksumsEnabled(true)
                        .setMaxConnections(256)
                        .setMaxErrorRetries(10)
                        .setSocketConnectTimeout(new Duration(5, TimeUnit.SECONDS))
                        .setSocketTimeout(new Duration(30, TimeUnit.SECONDS))
                        .setStreamingPartSize(DataSize.of(16, Unit.MEGABYTE)));
    }

    @Test
    void explicitMappings() {
        assertFullMapping(
                Map.ofEntries(
                        Map.entry("s3.endpoint", "https://s3.example.net:9000"),
                        Map.entry("s3.region", "eu-central-1"),
                        Map.entry("s3.aws-access-key", "key"),
                        Map.entry("s3.aws-secret-key", "secret"),
                        Map.entry("s3.path-style-access", "true"),
                        Map.entry("s3.sse.type", "KMS"),
                        Map.entry("s3.sse.kms-key-id", "alias/stele"),
                        Map.entry("s3.checksums-enabled", "false"),
                        Map.entry("s3.max-connections", "7"),
                        Map.entry("s3.max-error-retries", "3"),
                        Map.entry("s3.socket-connect-timeout", "1s"),
                        Map.entry("s3.socket-timeout", "2s"),
                        Map.entry("s3.streaming.part-size", "32MB")),
                new S3Config()
                        .setEndpoint("https://s3.example.net:9000")
                        .setRegion("eu-central-1")
                        .setAwsAccessKey("key")
                        .setAwsSecretKey("secret")
                        .setPathStyleAccess(true)
                        .setSseType(SseType.KMS)
                        .setSseKmsKeyId("alias/stele")
                        .setChecksumsEnabled(false)
                        .setMaxConnections(7)
                        .setMaxErrorRetries(3)
                        .setSocketConnectTimeout(new Duration(1, TimeUnit.SECONDS))
                        .setSocketTimeout(new Duration(2, TimeUnit.SECONDS))
                        .setStreamingPartSize(DataSize.of(32, Unit.MEGABYTE)));
    }

    @Test
    void saysWhatDoesNotGoTogether() {
        assertThat(new S3Config().setEndpoint("host:9000").isEndpointValid()).isFalse();
        assertThat(new S3Config().setEndpoint("http://host:9000").isEndpointValid()).isTrue();
        assertThat(new S3Config().setAwsAccessKey("key").isCredentialsValid()).isFalse();
        assertThat(new S3Config().setSseKmsKeyId("key").isSseValid()).isFalse();
        assertThat(new S3Config().setSseKmsKeyId("key").setSseType(SseType.KMS).isSseValid())
                .isTrue();
    }
}
