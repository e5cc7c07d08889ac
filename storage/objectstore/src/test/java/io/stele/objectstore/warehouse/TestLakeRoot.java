package io.stele.objectstore.warehouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.FolderStore;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.TestingThreads;
import io.stele.objectstore.s3.S3Config;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TestLakeRoot {
    @TempDir Path directory;

    private static WarehouseAccess access() {
        return new WarehouseAccess(
                new S3Config().setRegion("us-east-1"),
                new HadoopConfig(),
                new RetrievalConfig(),
                new Random(1),
                _ -> {},
                TestingThreads.start());
    }

    /** One store, so one set of connections, whatever the writer of a location calls S3. */
    @ParameterizedTest
    @CsvSource({
        "s3,    bucket,      S3,     s3://bucket",
        "S3A,   bucket,      S3,     s3://bucket",
        "hdfs,  host:8020,   HDFS,   hdfs://host:8020",
        "hdfs,  ,            HDFS,   hdfs://",
        "file,  ,            FOLDER, file:/",
        ",      ,            FOLDER, file:/",
    })
    void schemesNameStores(String scheme, String authority, LakeRoot.Kind kind, String text) {
        LakeRoot root = LakeRoot.of(scheme, authority);
        assertThat(root.kind()).isEqualTo(kind);
        assertThat(root).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"oss", "s3n", "gs", "abfs", "viewfs", "http", ""})
    void refusesOtherSchemesByName(String scheme) {
        assertThatThrownBy(() -> LakeRoot.of(scheme, "bucket"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("scheme '" + scheme + "'");
    }

    @Test
    void refusesBucketsWithoutNamesAndFoldersOfOtherHosts() {
        assertThatThrownBy(() -> LakeRoot.of("s3", null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no bucket");
        assertThatThrownBy(() -> LakeRoot.of("file", "host"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host");
    }

    @Test
    void readingAFolderLeavesItAsItIs() throws Exception {
        Files.createDirectories(directory.resolve("t/dt=2024-01-01 10%3A00/.tmp"));
        Files.write(directory.resolve("t/dt=2024-01-01 10%3A00/.tmp/leftover.object"), new byte[3]);
        String folder = directory.resolve("t").toString().substring(1);
        try (FolderStore store = LakeRoot.of("file", null).open(access())) {
            assertThat(store.isRemote()).isFalse();
            assertThat(store.listLevel(folder).folders()).containsExactly("dt=2024-01-01 10%3A00");
            assertThat(store.list(folder + "/")).hasSize(1);
        }
        try (Stream<Path> all = Files.walk(directory)) {
            assertThat(all.map(file -> directory.relativize(file).toString()).sorted())
                    .containsExactly(
                            "",
                            "t",
                            "t/dt=2024-01-01 10%3A00",
                            "t/dt=2024-01-01 10%3A00/.tmp",
                            "t/dt=2024-01-01 10%3A00/.tmp/leftover.object");
        }
    }

    /** Nothing listens there: a request would fail. */
    @Test
    void openingSendsNoRequest() throws Exception {
        try (FolderStore bucket = LakeRoot.of("s3a", "bucket").open(access());
                FolderStore hdfs = LakeRoot.of("hdfs", "127.0.0.1:1").open(access())) {
            assertThat(bucket.isRemote()).isTrue();
            assertThat(bucket.describe("a b/100%")).isEqualTo("s3://bucket/a b/100%");
            assertThat(hdfs.isRemote()).isTrue();
            assertThat(hdfs.describe("a b/100%")).isEqualTo("hdfs://127.0.0.1:1/a b/100%");
        }
    }
}
