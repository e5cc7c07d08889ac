package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.storage.manifest.FileEntry;
import io.stele.storage.manifest.Manifest;
import io.stele.storage.manifest.ManifestEdit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Merges row files into level 1: of each key the versions that someone can still read. A tombstone
 * below the retention point goes, since nothing older of its key is left outside the inputs.
 * Writing runs on a background thread.
 */
final class RowCompaction implements ManifestChange {
    private final TableShard table;
    private final List<RowFile> inputs;
    private List<RowFile> outputs = List.of();

    RowCompaction(TableShard table, List<RowFile> inputs) {
        this.table = requireNonNull(table, "table is null");
        this.inputs = List.copyOf(inputs);
    }

    RowCompaction write(TableFiles files, long retentionLsn, long targetBytes) throws IOException {
        List<Iterator<KeyedVersion>> sources =
                inputs.stream()
                        .<Iterator<KeyedVersion>>map(
                                file -> new RowFileVersions(file.reader().cursor()))
                        .toList();
        RetainedVersions versions =
                new RetainedVersions(new MergingVersions(sources), retentionLsn);
        try (RowFileOutput output = new RowFileOutput(files, table, 1, targetBytes)) {
            while (versions.advance()) {
                KeyedVersion version = versions.version();
                if (!version.isDeleted() || version.lsn() > retentionLsn) {
                    output.add(version);
                }
            }
            outputs = output.finish();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return this;
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
        Set<String> removed = new HashSet<>();
        inputs.forEach(file -> removed.add(file.entry().fileId()));
        return removed;
    }

    @Override
    public void catchUp() {
        // Row files have no delete vectors.
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        outputs.forEach(file -> edit.addFile(file.entry()));
    }

    @Override
    public void install() {
        table.installCompaction(removedFileIds(), outputs, List.of());
    }
}
