package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.storage.manifest.FileEntry;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What there is to do for a table's files: which memtable to flush, which files to merge. Confined
 * to the shard's context.
 */
public final class TableMaintenance {
    private final TableShard table;
    private final TableFiles files;
    private final CompactionPolicy policy;
    private final long targetBytes;

    public TableMaintenance(TableShard table, TableFiles files, long targetBytes) {
        this.table = requireNonNull(table, "table is null");
        this.files = requireNonNull(files, "files is null");
        this.policy = new CompactionPolicy(targetBytes);
        this.targetBytes = targetBytes;
    }

    public TableShard table() {
        return table;
    }

    /** The flush of the oldest sealed memtable, if there is one. */
    public Optional<Work> nextFlush(long retentionLsn) {
        Optional<SealedMemTable> sealed = table.oldestSealed();
        sealed.ifPresent(oldest -> table.forgetHistory(retentionLsn));
        return sealed.map(
                oldest ->
                        () ->
                                new FlushChange(
                                        table,
                                        oldest,
                                        new FlushJob(files, table, oldest, retentionLsn).run()));
    }

    /**
     * A merge that is worth it, if there is one.
     *
     * @param asked merge whatever is more than one file, or has deleted rows
     */
    public Optional<Work> nextCompaction(long retentionLsn, boolean asked) {
        Optional<Work> work =
                rowCompaction(retentionLsn, asked)
                        .or(() -> columnCompaction(retentionLsn, asked))
                        .or(() -> indexCompaction(retentionLsn, asked));
        work.ifPresent(found -> table.forgetHistory(retentionLsn));
        return work;
    }

    // One at a time with those of the table's own files, which entries are checked against.
    private Optional<Work> indexCompaction(long retentionLsn, boolean asked) {
        TableView view = table.view();
        for (IndexView index : view.indexes()) {
            List<FileEntry> entries = index.files().stream().map(RowFile::entry).toList();
            Optional<List<FileEntry>> picked =
                    asked ? policy.pickAllRows(entries) : policy.pickRows(entries);
            if (index.complete() && picked.isPresent()) {
                Set<FileEntry> chosen = new HashSet<>(picked.get());
                List<RowFile> inputs =
                        index.files().stream()
                                .filter(file -> chosen.contains(file.entry()))
                                .toList();
                return Optional.of(
                        () ->
                                new IndexCompaction(table, view, index, inputs)
                                        .write(files, retentionLsn, targetBytes, asked));
            }
        }
        return Optional.empty();
    }

    private Optional<Work> rowCompaction(long retentionLsn, boolean asked) {
        TableView view = table.view();
        List<FileEntry> entries = view.rowFiles().stream().map(RowFile::entry).toList();
        return (asked ? policy.pickAllRows(entries) : policy.pickRows(entries))
                .map(
                        picked -> {
                            Set<FileEntry> chosen = new HashSet<>(picked);
                            List<RowFile> inputs =
                                    view.rowFiles().stream()
                                            .filter(file -> chosen.contains(file.entry()))
                                            .toList();
                            return () ->
                                    new RowCompaction(table, inputs)
                                            .write(files, retentionLsn, targetBytes);
                        });
    }

    private Optional<Work> columnCompaction(long retentionLsn, boolean asked) {
        TableView view = table.view();
        List<CompactionPolicy.Candidate> candidates =
                view.columnFiles().stream()
                        .filter(file -> table.isSettled(file.entry().fileId()))
                        .map(
                                file ->
                                        new CompactionPolicy.Candidate(
                                                file.entry(), file.deletedAt(retentionLsn)))
                        .toList();
        return (asked ? policy.pickAllColumns(candidates) : policy.pickColumns(candidates))
                .map(
                        picked -> {
                            Set<String> chosen = new HashSet<>();
                            picked.forEach(candidate -> chosen.add(candidate.entry().fileId()));
                            List<ColumnFile> inputs =
                                    view.columnFiles().stream()
                                            .filter(file -> chosen.contains(file.entry().fileId()))
                                            .toList();
                            return () ->
                                    new ColumnCompaction(table, inputs, retentionLsn)
                                            .write(files, targetBytes);
                        });
    }

    /** Writes files, on a background thread, and says what the next manifest must change. */
    @FunctionalInterface
    public interface Work {
        ManifestChange run() throws IOException;
    }
}
