package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.output.SstFileOutput;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.SstFileVersions;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexEntries;
import io.stele.engine.index.IndexView;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.tablet.IndexTablet;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.SequentialReads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A compaction job that merges SST files of a secondary index into one level, without the entries
 * that {@link IndexRepair} finds obsolete. Writing runs on a background thread.
 */
final class IndexCompaction implements ManifestChange {
    private static final int BATCH_ENTRIES = 1 << 16; // that repair sorts by primary key

    private final TableShard table;
    private final TableView view;
    private final IndexView index;
    private final List<SstFile> inputs;
    private final int level;
    private List<SstFile> outputs = List.of();
    private long staleEntries;

    /**
     * @param view of the table, obtained together with the inputs, against which entries are
     *     checked
     */
    IndexCompaction(
            TableShard table, TableView view, IndexView index, List<SstFile> inputs, int level) {
        this.table = requireNonNull(table, "table is null");
        this.view = requireNonNull(view, "view is null");
        this.index = requireNonNull(index, "index is null");
        this.inputs = List.copyOf(inputs);
        this.level = level;
    }

    IndexCompaction write(TableFiles files, long retentionLsn, long targetBytes, boolean thorough)
            throws IOException {
        IndexRepair repair =
                new IndexRepair(
                        index.keys(),
                        new VersionLookup(files, table.schema(), view),
                        retentionLsn,
                        table.expiredLsn(),
                        thorough);
        try (SequentialReads reads = files.sequentialReads();
                SstFileOutput output =
                        SstFileOutput.ofIndex(files, table, index.keys(), level, targetBytes)) {
            List<Iterator<KeyedVersion>> sources = new ArrayList<>();
            for (SstFile file : inputs) {
                sources.add(new SstFileVersions(file.reader().cursor(reads)));
            }
            IndexEntries entries =
                    new IndexEntries(
                            new MergingVersions(sources), retentionLsn, table.expiredLsn());
            List<KeyedVersion> batch = new ArrayList<>();
            boolean more = entries.advance();
            while (more) {
                batch.add(entries.entry());
                more = entries.advance();
                if (!more || batch.size() == BATCH_ENTRIES) {
                    write(batch, repair.findStale(batch), output);
                    batch.clear();
                }
            }
            outputs = output.finish();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        staleEntries = repair.stale();
        return this;
    }

    private static void write(List<KeyedVersion> batch, boolean[] stale, SstFileOutput output)
            throws IOException {
        for (int i = 0; i < stale.length; i++) {
            if (!stale[i]) {
                output.add(batch.get(i));
            }
        }
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
        return IndexTablet.ids(inputs);
    }

    @Override
    public boolean isObsolete() {
        return !table.hasIndex(index.indexId());
    }

    @Override
    public void catchUp() {
        // SST files have no deletion vectors.
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        outputs.forEach(file -> edit.addFile(file.entry()));
    }

    @Override
    public void install() {
        table.installIndexCompaction(index.indexId(), removedFileIds(), outputs, staleEntries);
        table.traffic()
                .compacted(
                        inputs.stream().map(SstFile::entry).toList(),
                        outputs.stream().map(SstFile::entry).toList());
    }
}
