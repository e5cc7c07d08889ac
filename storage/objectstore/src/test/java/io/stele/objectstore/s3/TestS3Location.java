package io.stele.objectstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestS3Location {
    @Test
    void readsBucketAndPrefix() {
        assertThat(S3Location.parse("s3://b")).isEqualTo(new S3Location("b", ""));
        assertThat(S3Location.parse("s3://b/")).isEqualTo(new S3Location("b", ""));
        assertThat(S3Location.parse("s3://b/a/b/")).isEqualTo(new S3Location("b", "a/b"));
        assertThat(S3Location.parse("s3://b/a/b")).hasToString("s3://b/a/b");
        assertThat(S3Location.parse("s3://b")).hasToString("s3://b");
    }

    @Test
    void keysAreBelowThePrefix() {
        S3Location location = S3Location.parse("s3://b/a");
        assertThat(location.key("x/y")).isEqualTo("a/x/y");
        assertThat(location.path("a/x/y")).isEqualTo("x/y");
        assertThat(S3Location.parse("s3://b").key("x")).isEqualTo("x");
        assertThat(S3Location.parse("s3://b").path("x")).isEqualTo("x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "b/a", "s3a://b/a", "s3://", "s3:///a", "s3://b//", "s3://b/a b"})
    void refusesAnythingElse(String text) {
        assertThatThrownBy(() -> S3Location.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Expected");
    }

    @Test
    void keysMustFit() {
        assertThatThrownBy(() -> new S3Location("b", "x".repeat(256)))
                .hasMessageContaining("found 256");
        assertThat(new S3Location("b", "x".repeat(255)).key("y".repeat(768)).length())
                .isEqualTo(1024);
    }
}
