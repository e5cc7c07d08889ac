package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.tablet.SealedMemTable.IngestedFile;
import io.stele.engine.tablet.SealedMemTable.Superseded;
import io.stele.protocol.Lsn;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A sealed memtable that is in files, and the worker files that came into effect before it was
 * sealed. Confined to the context.
 */
final class FlushChange implements ManifestChange {
    private final TableShard table;
    private final SealedMemTable sealed;
    private final NewFiles files;
    private int caughtUp;

    FlushChange(TableShard table, SealedMemTable sealed, NewFiles files) {
        this.table = requireNonNull(table, "table is null");
        this.sealed = requireNonNull(sealed, "sealed is null");
        this.files = requireNonNull(files, "files is null");
    }

    @Override
    public TableShard table() {
        return table;
    }

    @Override
    public List<ColumnFile> newColumnFiles() {
        return files.columnFiles();
    }

    @Override
    public Set<String> removedFileIds() {
        return Set.of();
    }

    @Override
    public void catchUp() throws IOException {
        List<Superseded> superseded = sealed.superseded();
        List<Superseded> newest = superseded.subList(caughtUp, superseded.size());
        if (newest.isEmpty() || files.columnFiles().isEmpty()) {
            return;
        }
        EndedInFiles.find(
                        table.search(),
                        files.columnFiles(),
                        ProbeKeys.ofEach(newest.stream().map(Superseded::key).toList()),
                        newest.stream().mapToLong(Superseded::lsn).toArray())
                .mark();
        caughtUp += newest.size();
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        for (IngestedFile ingested : sealed.ingested()) {
            if (base.file(ingested.entry().fileId()).isEmpty()) {
                edit.addFile(ingested.entry());
            }
        }
        files.rowFiles().forEach(file -> edit.addFile(file.entry()));
        files.columnFiles().forEach(file -> edit.addFile(entryOf.apply(file)));
        for (RowFile file : files.indexFiles()) {
            if (table.hasIndex(file.entry().indexId().orElseThrow())) {
                edit.addFile(file.entry());
            } // else it was dropped meanwhile; the file is collected at the next start
        }
        edit.progress(table.schema().id(), new Lsn(sealed.sealLsn()), table.nextRowId());
        edit.ends(table.schema().id(), table.ends());
    }

    @Override
    public void install() throws IOException {
        catchUp();
        table.installFlush(sealed, files);
        table.traffic().flushed(sealed.memTable().sizeBytes(), files.entries());
    }
}
