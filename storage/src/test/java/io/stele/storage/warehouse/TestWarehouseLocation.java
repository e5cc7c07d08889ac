package io.stele.storage.warehouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.s3.S3Config;
import io.stele.storage.objectstore.s3.S3Location;
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
        try (ObjectStore store = location.open(new S3Config(), new Random(1), _ -> {})) {
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
        try (ObjectStore store =
                location.open(new S3Config().setRegion("us-east-1"), new Random(1), _ -> {})) {
            assertThat(store.isRemote()).isTrue();
            assertThat(store.describe("x")).isEqualTo("s3://b/a/x");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hdfs://host/warehouse", "s3a://b/a", "file:///warehouse", "s3://"})
    void refusesAnythingElse(String text) {
        assertThatThrownBy(() -> WarehouseLocation.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Expected");
    }
}
