package io.stele.objectstore.warehouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.TestingThreads;
import io.stele.objectstore.s3.S3Config;
import io.stele.objectstore.s3.S3Location;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestWarehouseLocation {
    @TempDir Path directory;

    @Test
    void foldersAreAbsolute() throws Exception {
        Path folder = directory.resolve("a/../warehouse");
        WarehouseLocation location = WarehouseLocation.parse(folder.toString());
        assertThat(location).hasToString(directory.resolve("warehouse").toString());
        assertThat(WarehouseLocation.parse("relative").toString()).startsWith("/");
        try (ObjectStore store = location.open(access(new S3Config()))) {
            store.put("x", new byte[] {1});
            assertThat(store.isRemote()).isFalse();
        }
        assertThat(directory.resolve("warehouse/x")).hasBinaryContent(new byte[] {1});
    }

    @Test
    void bucketsAreRemote() throws Exception {
        WarehouseLocation location = WarehouseLocation.parse("s3://b/a/");
        assertThat(location)
                .isEqualTo(new WarehouseLocation.Bucket(new S3Location("b", "a")))
                .hasToString("s3://b/a");
        try (ObjectStore store = location.open(access(new S3Config().setRegion("us-east-1")))) {
            assertThat(store.isRemote()).isTrue();
            assertThat(store.describe("x")).isEqualTo("s3://b/a/x");
        }
    }

    @Test
    void fileSystemsOfHadoopAreRemote() throws Exception {
        WarehouseLocation location = WarehouseLocation.parse("hdfs://127.0.0.1:1/a/b/");
        assertThat(location).hasToString("hdfs://127.0.0.1:1/a/b");
        try (ObjectStore store = location.openAsOwner(access(new S3Config()))) {
            assertThat(store.isRemote()).isTrue();
            assertThat(store.describe("x")).isEqualTo("hdfs://127.0.0.1:1/a/b/x");
        }
    }

    private static WarehouseAccess access(S3Config s3) {
        return new WarehouseAccess(
                s3,
                new HadoopConfig(),
                new RetrievalConfig(),
                new Random(1),
                _ -> {},
                TestingThreads.start());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hdfs://host/", "s3a://b/a", "file:///warehouse", "s3://"})
    void refusesAnythingElse(String text) {
        assertThatThrownBy(() -> WarehouseLocation.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Expected");
    }
}
