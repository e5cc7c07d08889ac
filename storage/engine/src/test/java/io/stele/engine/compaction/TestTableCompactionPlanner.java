package io.stele.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.compaction.TableCompactionPlanner.Compaction;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.Descriptors;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.row.RowCache;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** When files are examined for compactions, and when nothing can have changed. */
final class TestTableCompactionPlanner {
    private static final long TARGET = 1 << 20;
    private static final long LSN = 100; // of the newest row of a file
    private static final ShardId SHARD = new ShardId(1, 0);
    private static final TableSchema SCHEMA =
            TableSchema.builder("s", "t")
                    .columns(List.of(new ColumnSchema(1, "text", DataType.parse("varchar"))))
                    .orientation(Orientation.COLUMN)
                    .build();

    private final TableShard table =
            new TableShard(
                    SHARD,
                    TableVersions.of(SCHEMA),
                    new RowCache("rows", 1, () -> 0),
                    ParallelReads.of(new InMemoryObjectStore()));
    private final TableCompactionPlanner planner = new TableCompactionPlanner(table, TARGET);
    private final List<ColumnFile> files = new ArrayList<>();

    @Test
    void filesThatCameAreFound() {
        addFiles(3, TARGET / 8);
        assertThat(next(LSN, false, 0)).isEmpty();
        addFiles(1, TARGET / 8);
        assertThat(next(LSN, false, 1)).isPresent();
        assertThat(next(LSN, false, 2)).isPresent();
    }

    /** A requested compaction leaves large files alone, of which four become one by size. */
    @Test
    void nothingToDoOnRequestIsNotNothingToDo() {
        addFiles(4, TARGET * 3 / 4);
        assertThat(next(LSN, true, 0)).isEmpty();
        assertThat(next(LSN, false, 1)).isPresent();
    }

    @Test
    void deletionsAreFoundWhenNobodySeesTheRowsAnyMore() {
        addFiles(1, TARGET / 8);
        long rows = files.getFirst().entry().rowCount();
        for (int row = 0; row < rows * 3 / 10; row++) { // too few for a history file
            files.getFirst().deletes().delete(row, LSN + 10);
        }
        table.touch(LSN + 10, 0);
        assertThat(next(LSN, false, 0)).isEmpty();
        assertThat(next(LSN + 9, false, 1)).isEmpty();
        assertThat(next(LSN + 10, false, 2)).isPresent();
    }

    @Test
    void deletionsAfterALookAreFound() {
        addFiles(1, TARGET / 8);
        assertThat(next(LSN, false, 0)).isEmpty();
        table.touch(LSN + 10, 0);
        files.getFirst().deletes().endAll((int) files.getFirst().entry().rowCount(), LSN + 10);
        assertThat(next(LSN + 10, false, 1)).isPresent();
    }

    private Optional<Compaction> next(long retentionLsn, boolean asked, long nowMillis) {
        return planner.nextCompaction(retentionLsn, asked, nowMillis);
    }

    private void addFiles(int count, long sizeBytes) {
        for (int i = 0; i < count; i++) {
            FileEntry entry =
                    Descriptors.file(FileKind.COLUMN, "f" + files.size(), 0, 0, 9, sizeBytes)
                            .withIngest(new Lsn(LSN), OptionalLong.of(0));
            files.add(
                    new ColumnFile(
                            entry, Optional.empty(), new DeletionVector(), table.versions()));
        }
        table.restore(LSN, 0, 0, List.of(), files, Map.of(), List.of());
    }
}
