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

/**
 * A manifest change that changes no table, so that the new manifest version only stores the present
 * writers' progress of the shard.
 */
public record UnchangedTable(TableShard table) implements ManifestChange {
    public UnchangedTable {
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
        // Every manifest version contains the writers.
    }

    @Override
    public void install() {
        // Nothing is different for readers.
    }

    /**
     * False, since deletions are stored together with the memtable rows that made them, by the next
     * flush.
     */
    @Override
    public boolean savesDeletions() {
        return false;
    }
}
