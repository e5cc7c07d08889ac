package io.stele.paimon.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TestLakeFileNames {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "l/d.db/t/snapshot/snapshot-12",
                "l/d.db/t/snapshot/LATEST",
                "l/d.db/t/schema/schema-0",
                "l/d.db/t/manifest/manifest-6b1-0",
                "l/d.db/t/manifest/manifest-list-6b1-0",
                "l/d.db/t/manifest/index-manifest-6b1-0",
                "l/d.db/t/statistics/stat-6b1-0",
                "l/d.db/t/branch/branch-b/snapshot/snapshot-1",
                "l/d.db/t/tag/tag-a b"
            })
    void metadataIsReadWhole(String path) {
        assertThat(LakeFileNames.isMetadata(path)).isTrue();
        assertThat(LakeFileNames.isFile(path)).isTrue();
        assertThat(LakeFileNames.tableFolder(path)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "l/d.db/t/bucket-0/data-1-0.orc, l/d.db/t, d.t",
        "l/d.db/t/dt=2024-01-01/hr=%3A 1/bucket-3/data-1-0.parquet, l/d.db/t, d.t",
        "l/d.db/t/bucket-postpone/data-1-0.orc, l/d.db/t, d.t",
        "l/d.db/t/index/index-1-0, l/d.db/t, d.t",
        "bucket/elsewhere/bucket-0/changelog-1-0.avro, bucket/elsewhere, ",
    })
    void dataHasATable(String path, String folder, String name) {
        assertThat(LakeFileNames.isMetadata(path)).isFalse();
        assertThat(LakeFileNames.isData(path)).isTrue();
        assertThat(LakeFileNames.tableFolder(path)).hasValue(folder);
        assertThat(LakeFileNames.tableName(folder).orElse(null)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "l/d.db/snapshot",
                "l/d.db/t",
                "l/d.db/t/snapshot/a=1/f",
                "l/d.db/t/bucket-0",
                "bucket-0/x.orc",
                "readme.txt",
                ""
            })
    void othersMayBeAnything(String path) {
        assertThat(LakeFileNames.isMetadata(path)).isFalse();
        assertThat(LakeFileNames.tableFolder(path)).isEmpty();
    }

    @Test
    void foldersAreKnown() {
        assertThat(LakeFileNames.isFolder("l/d.db")).isTrue();
        assertThat(LakeFileNames.isFolder("l/d.db/t/schema")).isTrue();
        assertThat(LakeFileNames.isFolder("l/d.db/t/bucket-7")).isTrue();
        assertThat(LakeFileNames.isFolder("l/d.db/t")).isFalse();
    }
}
