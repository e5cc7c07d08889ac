package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.row.RowSketches;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.predicate.ColumnSketch;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A manifest change that adds sketches to the entry of a column file without sketches, computed by
 * one read of the file. Obsolete rows are included, as in sketches that are made when a file is
 * written.
 */
final class SketchChange implements ManifestChange {
    private final TableShard table;
    private final String fileId;
    private final Map<Integer, ColumnSketch> sketches;

    private SketchChange(TableShard table, String fileId, Map<Integer, ColumnSketch> sketches) {
        this.table = requireNonNull(table, "table is null");
        this.fileId = requireNonNull(fileId, "fileId is null");
        this.sketches = requireNonNull(sketches, "sketches is null");
    }

    /** Whether the file has no sketches, as files of releases before sketches. */
    static boolean isNeeded(ColumnFile file) {
        return file.entry().sketches().isEmpty();
    }

    /** Computes the sketches of a file, which it reads; blocks. */
    static SketchChange read(TableFiles files, TableShard table, ColumnFile file)
            throws IOException {
        RowSketches sketches = new RowSketches(file.mapping().to());
        try (SequentialReads reads = files.sequentialReads();
                ColumnFileCursor cursor = files.openRows(file, reads)) {
            while (cursor.advance()) {
                table.checkNotDropped();
                sketches.add(cursor.row());
            }
        }
        return new SketchChange(table, file.entry().fileId(), sketches.sketches());
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
    public void catchUp() {
        // Deletions change nothing.
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        edit.file(fileId).ifPresent(file -> edit.replaceFile(file.withSketches(sketches)));
    }

    @Override
    public void install() {
        // The publisher of the manifest makes its entries visible.
    }
}
