package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.ObsoleteFileRows;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.row.ProbeKeys;
import io.stele.engine.tablet.NewFiles;
import io.stele.engine.tablet.SealedMemTable;
import io.stele.engine.tablet.SealedMemTable.IngestedFile;
import io.stele.engine.tablet.SealedMemTable.ObsoleteKey;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.Lsn;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The manifest change of a finished flush, which adds the files of a sealed memtable and the
 * workers' files ingested before the seal. Confined to the shard's context, except {@link #edit}.
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
        List<ObsoleteKey> obsolete = sealed.obsolete();
        List<ObsoleteKey> newest = obsolete.subList(caughtUp, obsolete.size());
        if (newest.isEmpty() || files.columnFiles().isEmpty()) {
            return;
        }
        ObsoleteFileRows.find(
                        table.search(),
                        files.columnFiles(),
                        ProbeKeys.ofEach(newest.stream().map(ObsoleteKey::key).toList()),
                        newest.stream().mapToLong(ObsoleteKey::lsn).toArray())
                .mark();
        caughtUp += newest.size();
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        List<FileEntry> missing =
                sealed.ingested().stream()
                        .map(IngestedFile::entry)
                        .filter(entry -> edit.file(entry.fileId()).isEmpty())
                        .toList();
        missing.forEach(edit::addFile);
        files.sstFiles().forEach(file -> edit.addFile(file.entry()));
        files.columnFiles().forEach(file -> edit.addFile(entryOf.apply(file)));
        for (SstFile file : files.indexFiles()) {
            if (table.hasIndex(file.entry().indexId().orElseThrow())) {
                edit.addFile(file.entry());
            } // else the index was dropped meanwhile, and the file is deleted after the next start
        }
        edit.progress(table.schema().id(), new Lsn(sealed.sealLsn()), table.nextRowId());
        edit.tombstones(table.schema().id(), table.tombstones());
    }

    @Override
    public void install() throws IOException {
        catchUp();
        table.installFlush(sealed, files);
        table.traffic().flushed(sealed.memTable().sizeBytes(), files.entries());
    }
}
