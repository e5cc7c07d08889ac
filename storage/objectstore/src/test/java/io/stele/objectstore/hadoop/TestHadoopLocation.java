package io.stele.objectstore.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestHadoopLocation {
    @Test
    void saysWhatItWasReadFrom() {
        assertThat(HadoopLocation.parse("hdfs://host:8020/a/b/"))
                .isEqualTo(HadoopLocation.parse("hdfs://host:8020/a/b"))
                .hasToString("hdfs://host:8020/a/b");
        assertThat(HadoopLocation.parse("hdfs:///a")).hasToString("hdfs:///a");
        assertThat(HadoopLocation.parse("viewfs://cluster/a")).hasToString("viewfs://cluster/a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/a",
                "s3://b/a",
                "s3a://b/a",
                "file:///a",
                "hdfs://host",
                "hdfs://host/",
                "hdfs://host/a/../b",
                "hdfs://host/a//b",
                "hdfs://user@host/a",
                "hdfs://host/a?b",
                "hdfs://host/a b"
            })
    void refusesAnythingElse(String text) {
        assertThatThrownBy(() -> HadoopLocation.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Expected hdfs://host:port/path");
    }
}
