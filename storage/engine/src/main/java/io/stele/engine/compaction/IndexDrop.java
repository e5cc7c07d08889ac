package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.tablet.TableShard;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** A manifest change that removes the files of dropped indexes of a table from the manifest. */
public record IndexDrop(TableShard table) implements ManifestChange {
    public IndexDrop {
        requireNonNull(table, "table is null");
    }

    /** Whether a manifest lists files of dropped indexes. */
    public boolean isNeeded(Manifest manifest) {
        return manifest.files(table.schema().id()).stream().anyMatch(this::isDropped);
    }

    private boolean isDropped(FileEntry file) {
        return file.indexId().isPresent() && !table.hasIndex(file.indexId().getAsInt());
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
        base.files(table.schema().id()).stream()
                .filter(this::isDropped)
                .forEach(file -> edit.removeFile(file.fileId()));
    }

    @Override
    public void install() {
        // Readers that hold the table's view continue; new ones do not find the index.
    }
}
