package io.stele.engine.shard.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.ManifestChange;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.tablet.TableShard;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** A manifest change that removes a dropped table from the manifest. */
record TableDrop(TableShard table) implements ManifestChange {
    TableDrop {
        requireNonNull(table, "table is null");
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
    public void catchUp() {
        // Nothing new to bring up to date.
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        edit.removeTable(table.schema().id());
    }

    @Override
    public void install() {
        // Readers that hold the table's view continue; new ones do not find it.
    }
}
