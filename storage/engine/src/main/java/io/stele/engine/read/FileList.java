package io.stele.engine.read;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.index.IndexView;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.maintenance.TableFile;
import io.stele.protocol.api.maintenance.TableShardFiles;
import java.util.ArrayList;
import java.util.List;

/** A lister of a table's present files and in-memory rows in one shard, for monitoring. */
public final class FileList {
    private FileList() {}

    public static TableShardFiles of(TableShard table, Lsn appliedLsn) {
        TableView view = table.view();
        List<TableFile> files = new ArrayList<>();
        for (ColumnFile file : view.columnFiles()) {
            files.add(file(file.entry(), file.deletes().cardinality()));
        }
        for (SstFile file : view.sstFiles()) {
            files.add(file(file.entry(), 0));
        }
        for (IndexView index : view.indexes()) {
            for (SstFile file : index.files()) {
                files.add(file(file.entry(), 0));
            }
        }
        return new TableShardFiles(
                table.shard(), appliedLsn, view.memoryVersions(), view.memoryBytes(), files);
    }

    private static TableFile file(FileEntry entry, long deleted) {
        return new TableFile(
                entry.path(),
                entry.kind() == FileKind.COLUMN,
                entry.indexId(),
                entry.level(),
                entry.partition(),
                entry.rowCount(),
                deleted,
                entry.sizeBytes(),
                entry.minLsn(),
                entry.maxLsn(),
                entry.schemaVersion());
    }
}
