package io.stele.paimon.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.paimon.TestingLake;
import java.nio.file.Path;
import java.util.List;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestVisibleRowCount {
    private static final GenericRow FIRST = GenericRow.of(1L, 1L);
    private static final GenericRow SECOND = GenericRow.of(2L, 2L);

    @TempDir private Path folder;

    @Test
    void filesOfOldWritersAreOfUnknownCount() throws Exception {
        try (TestingLake lake = new TestingLake(folder)) {
            FileStoreTable table = create(lake, "counted", true);
            lake.write(table, List.of(FIRST, SECOND), true);
            DataSplit split = split(table);
            assertThat(VisibleRowCount.of(table, split)).hasValue(2);
            List<DataFileMeta> old =
                    split.dataFiles().stream().map(TestVisibleRowCount::withoutCount).toList();
            assertThat(VisibleRowCount.of(table, of(split, old))).isEmpty();
        }
    }

    @Test
    void filesThatMustBeMergedAreOfUnknownCount() throws Exception {
        try (TestingLake lake = new TestingLake(folder)) {
            FileStoreTable table = create(lake, "merged", true);
            lake.write(table, List.of(FIRST, SECOND), false);
            lake.write(table, List.of(GenericRow.ofKind(RowKind.DELETE, 1L, 1L)), false);
            assertThat(VisibleRowCount.of(table, split(table))).isEmpty();
        }
    }

    @Test
    void tablesWithoutKeyHaveNoDeletions() throws Exception {
        try (TestingLake lake = new TestingLake(folder)) {
            FileStoreTable table = create(lake, "appended", false);
            lake.write(table, List.of(FIRST, SECOND, FIRST), false);
            DataSplit split = split(table);
            List<DataFileMeta> old =
                    split.dataFiles().stream().map(TestVisibleRowCount::withoutCount).toList();
            assertThat(VisibleRowCount.of(table, of(split, old))).hasValue(3);
        }
    }

    private static FileStoreTable create(TestingLake lake, String name, boolean isKeyed)
            throws Exception {
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("value", DataTypes.BIGINT())
                        .option("bucket", isKeyed ? "1" : "-1");
        if (isKeyed) {
            schema.primaryKey("id");
        }
        return lake.create("d", name, schema.build());
    }

    private static DataSplit split(FileStoreTable table) {
        assertThat(table.newScan().plan().splits()).hasSize(1);
        return (DataSplit) table.newScan().plan().splits().getFirst();
    }

    private static DataSplit of(DataSplit split, List<DataFileMeta> files) {
        return DataSplit.builder()
                .withSnapshot(split.snapshotId())
                .withPartition(split.partition())
                .withBucket(split.bucket())
                .withBucketPath(split.bucketPath())
                .withDataFiles(files)
                .rawConvertible(split.rawConvertible())
                .build();
    }

    /** As old versions of Paimon wrote it. */
    private static DataFileMeta withoutCount(DataFileMeta file) {
        return DataFileMeta.create(
                file.fileName(),
                file.fileSize(),
                file.rowCount(),
                file.minKey(),
                file.maxKey(),
                file.keyStats(),
                file.valueStats(),
                file.minSequenceNumber(),
                file.maxSequenceNumber(),
                file.schemaId(),
                file.level(),
                file.extraFiles(),
                file.creationTime(),
                null,
                file.embeddedIndex(),
                file.fileSource().orElse(null),
                file.valueStatsCols(),
                null,
                file.firstRowId(),
                file.writeCols());
    }
}
