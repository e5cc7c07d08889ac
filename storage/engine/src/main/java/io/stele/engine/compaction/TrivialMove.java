package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.tablet.IndexTablet;
import io.stele.engine.tablet.TableShard;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * A manifest change that moves SST files to a lower level without a rewrite, since they overlap no
 * file there.
 */
final class TrivialMove implements ManifestChange {
    private final TableShard table;
    private final List<SstFile> moved;

    TrivialMove(TableShard table, List<SstFile> files, int level) {
        this.table = requireNonNull(table, "table is null");
        this.moved =
                files.stream().map(file -> file.withEntry(file.entry().withLevel(level))).toList();
    }

    @Override
    public TableShard table() {
        return table;
    }

    @Override
    public List<ColumnFile> newColumnFiles() {
        return List.of();
    }

    @Override
    public Set<String> removedFileIds() {
        return Set.of();
    }

    @Override
    public boolean isObsolete() {
        OptionalInt indexId = moved.getFirst().entry().indexId();
        return indexId.isPresent() && !table.hasIndex(indexId.getAsInt());
    }

    @Override
    public void catchUp() {
        // SST files have no deletion vectors.
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        moved.forEach(file -> edit.replaceFile(file.entry()));
    }

    @Override
    public void install() {
        Set<String> before = IndexTablet.ids(moved);
        OptionalInt indexId = moved.getFirst().entry().indexId();
        if (indexId.isPresent()) {
            table.installIndexCompaction(indexId.getAsInt(), before, moved, 0);
        } else {
            table.installCompaction(before, moved, List.of());
        }
        table.traffic().moved(moved.size());
    }
}
