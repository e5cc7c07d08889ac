package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.output.SstFileOutput;
import io.stele.engine.compaction.policy.RowCompactionPolicy.Pick;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SortedRuns;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.row.RetainedVersions;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.SequentialReads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * A compaction job that merges SST files into one level, keeping the row versions that some reader
 * can still see. A tombstone at or below the retention LSN is dropped where no file below the level
 * may have its key, because then no older version of the key exists outside the inputs. Writing
 * runs on a background thread.
 */
final class RowCompaction implements ManifestChange {
    private final TableShard table;
    private final List<SstFile> inputs;
    private final Pick pick;
    private List<SstFile> outputs = List.of();

    RowCompaction(TableShard table, List<SstFile> inputs, Pick pick) {
        this.table = requireNonNull(table, "table is null");
        this.inputs = List.copyOf(inputs);
        this.pick = requireNonNull(pick, "pick is null");
    }

    /** A job that writes nothing and only removes files whose rows no reader sees any more. */
    static RowCompaction drop(TableShard table, List<SstFile> files) {
        List<FileEntry> entries = files.stream().map(SstFile::entry).toList();
        return new RowCompaction(table, files, new Pick(entries, 0, false, List.of()));
    }

    RowCompaction write(TableFiles files, long retentionLsn, long targetBytes) throws IOException {
        TableVersions schemas = table.versions();
        try (SequentialReads reads = files.sequentialReads();
                SstFileOutput output =
                        new SstFileOutput(
                                files,
                                table,
                                schemas,
                                pick.outputLevel(),
                                targetBytes,
                                appliedTombstonesLsn())) {
            List<Iterator<KeyedVersion>> sources = new ArrayList<>();
            for (List<SstFile> run : SortedRuns.of(inputs)) {
                sources.add(
                        SortedRuns.versions(
                                run, reads, (file, own) -> file.as(schemas).versions(own)));
            }
            RetainedVersions versions =
                    new RetainedVersions(
                            new MergingVersions(sources), retentionLsn, table.expiredLsn());
            while (versions.advance()) {
                KeyedVersion version = versions.version();
                boolean needed =
                        !version.isDeleted()
                                || version.lsn() > retentionLsn
                                || mayBeBelow(version.key());
                if (needed) {
                    output.add(version);
                }
            }
            outputs = output.finish();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return this;
    }

    // The inputs are of one view: a tombstone not yet applied to one of them does not affect the
    // others, or is not applied to them either.
    private OptionalLong appliedTombstonesLsn() {
        return inputs.stream()
                .map(SstFile::appliedTombstonesLsn)
                .flatMapToLong(OptionalLong::stream)
                .max();
    }

    private boolean mayBeBelow(byte[] key) {
        for (FileEntry file : pick.deeper()) {
            if (file.mayContain(key)) {
                return true;
            }
        }
        return false;
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
        // SST files have no deletion vectors.
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        outputs.forEach(file -> edit.addFile(file.entry()));
        edit.tombstones(table.schema().id(), table.tombstones());
    }

    @Override
    public void install() {
        table.installCompaction(removedFileIds(), outputs, List.of());
        table.traffic().compacted(pick.inputs(), outputs.stream().map(SstFile::entry).toList());
    }
}
