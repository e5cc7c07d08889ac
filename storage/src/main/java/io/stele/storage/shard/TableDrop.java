package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.storage.manifest.FileEntry;
import io.stele.storage.manifest.Manifest;
import io.stele.storage.manifest.ManifestEdit;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.ManifestChange;
import io.stele.storage.tablet.TableShard;
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
