package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.policy.ColumnCompactionPolicy;
import io.stele.engine.compaction.policy.ColumnCompactionPolicy.Range;
import io.stele.engine.compaction.policy.HeldBackFiles;
import io.stele.engine.compaction.policy.HistoryFilePolicy;
import io.stele.engine.compaction.policy.RowCompactionPolicy;
import io.stele.engine.compaction.policy.RowCompactionPolicy.Candidate;
import io.stele.engine.compaction.policy.RowCompactionPolicy.Pick;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexView;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.tablet.NewFiles;
import io.stele.engine.tablet.SealedMemTable;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.predicate.ColumnStats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The planner of flushes and compactions of one table in one shard, which selects memtables and
 * files and returns jobs without running them. Confined to the shard's context, except where noted.
 */
public final class TableCompactionPlanner {
    private static final int SST_FILES_OF_LEVEL_1 =
            8; // with fewer, each compaction rewrites a larger part of a level

    // Files of partitions below this size are too small for a flush, if there are more than a few.
    private static final long CRUMB_BYTES = 64 << 10;
    private static final int FEW_FILES = 16;

    // 250,000 files take some 100 ms, so they are examined every 3 s at most.
    private static final int FILES_A_MILLI = 80;

    private final TableShard table;
    private final RowCompactionPolicy rowPolicy;
    private final HistoryFilePolicy history;
    private final ColumnCompactionPolicy columnPolicy;
    private final long targetBytes;
    private final Function<FileEntry, Optional<Range>> clusteringRange = this::clusteringRange;
    private final HeldBackFiles heldBack = new HeldBackFiles();
    private @Nullable NothingDue nothingDue; // on the shard's context
    private volatile int flushedFiles; // column files of the last flush; set by its thread

    public TableCompactionPlanner(TableShard table, long targetBytes) {
        this.table = requireNonNull(table, "table is null");
        this.rowPolicy =
                new RowCompactionPolicy(
                        targetBytes, Math.max(1, targetBytes / SST_FILES_OF_LEVEL_1));
        this.history = HistoryFilePolicy.forFilesOf(targetBytes);
        this.columnPolicy = new ColumnCompactionPolicy(targetBytes, history);
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
                        files -> {
                            NewFiles written =
                                    new FlushJob(files, table, oldest, history, retentionLsn).run();
                            flushedFiles = written.columnFiles().size();
                            return new FlushChange(table, oldest, written);
                        });
    }

    /**
     * Whether a flush now would write many tiny files, if the rows since the last flush belong to
     * as many partitions as that flush's rows.
     */
    public boolean flushesCrumbs() {
        return flushedFiles > FEW_FILES && table.activeBytes() < flushedFiles * CRUMB_BYTES;
    }

    /**
     * The next compaction that is due, if any.
     *
     * @param asked whether a client requested it: then files are compacted until they are one
     *     sorted run without deleted rows, also files on which compactions failed
     */
    public Optional<Compaction> nextCompaction(long retentionLsn, boolean asked, long nowMillis) {
        if (!asked && isStillNothingDue(retentionLsn, nowMillis)) {
            return Optional.empty();
        }
        Predicate<FileEntry> isHeldBack =
                asked ? _ -> false : file -> heldBack.contains(file, nowMillis);
        Optional<Compaction> compaction =
                rowCompaction(retentionLsn, asked, isHeldBack)
                        .or(() -> columnCompaction(retentionLsn, asked, isHeldBack))
                        .or(() -> indexCompaction(retentionLsn, asked, isHeldBack));
        compaction.ifPresent(found -> table.forgetHistory(retentionLsn));
        nothingDue =
                compaction.isEmpty() && heldBack.isEmpty() && !asked // which has other rules
                        ? new NothingDue(
                                parts(), table.changedLsn(), nextLsn(retentionLsn), nowMillis)
                        : null;
        return compaction;
    }

    /**
     * Whether the files were examined before, and now no compaction can be due. Many files are also
     * examined less often, since that holds up the shard's context.
     */
    private boolean isStillNothingDue(long retentionLsn, long nowMillis) {
        NothingDue before = nothingDue;
        if (before == null) {
            return false;
        }
        long sinceMillis = nowMillis - before.nowMillis;
        if (sinceMillis >= 0 && sinceMillis < table.view().fileCount() / FILES_A_MILLI) {
            return true;
        }
        return before.changedLsn == table.changedLsn()
                && retentionLsn < before.nextLsn
                && !table.schema().options().expires()
                && before.isOf(parts());
    }

    /**
     * The retention LSN from which on other rows are deleted for every reader than at {@code
     * retentionLsn}, if no row is changed until then.
     */
    private long nextLsn(long retentionLsn) {
        TableView view = table.view();
        long changedLsn = table.changedLsn();
        if (!view.sstFiles().isEmpty() || !view.indexes().isEmpty()) {
            // Obsolete versions are not known one by one, and of a file that is not open not at all
            return retentionLsn + 1;
        }
        if (retentionLsn >= changedLsn) {
            return Long.MAX_VALUE;
        }
        long next = Long.MAX_VALUE;
        for (ColumnFile file : view.columnFiles()) {
            next = Math.min(next, file.deletes().firstAfter(retentionLsn));
        }
        return next;
    }

    /** All that a compaction depends on, except deletions of rows. */
    private List<Object> parts() {
        TableView view = table.view();
        List<Object> parts = new ArrayList<>();
        parts.add(table.schema());
        parts.add(view.sstFiles());
        parts.add(view.columnFiles());
        for (IndexView index : view.indexes()) {
            parts.add(index.files());
            parts.add(index.complete()); // one of two objects
        }
        return parts;
    }

    /**
     * A moment at which no compaction was due.
     *
     * @param parts compared by identity: a list is replaced when a file changes
     * @param changedLsn up to which rows had been deleted
     * @param nextLsn the retention LSN at which a compaction may be due without another change
     */
    private record NothingDue(List<Object> parts, long changedLsn, long nextLsn, long nowMillis) {
        @SuppressWarnings("ReferenceEquality")
        boolean isOf(List<Object> now) {
            if (parts.size() != now.size()) {
                return false;
            }
            for (int i = 0; i < now.size(); i++) {
                if (parts.get(i) != now.get(i)) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Excludes the files of a compaction for a while, since it failed and would fail again.
     *
     * @param cause the error message, with the names of the damaged objects
     * @return whether any of its files is excluded; false if it reads none
     */
    public boolean holdBack(Compaction compaction, String cause, long nowMillis) {
        heldBack.failed(compaction.inputs(), cause, nowMillis);
        return compaction.inputs().stream().anyMatch(file -> heldBack.contains(file, nowMillis));
    }

    /** Whether the table has files on which compactions failed. */
    public boolean hasHeldBack() {
        if (!heldBack.isEmpty()) {
            Set<String> present = new HashSet<>();
            table.view().files().forEach(file -> present.add(file.fileId()));
            heldBack.retain(present);
        }
        return !heldBack.isEmpty();
    }

    /**
     * The work that adds sketches to a file without sketches, if a durable manifest lists such a
     * file.
     */
    public Optional<Compaction> nextSketches() {
        return table.view().columnFiles().stream()
                .filter(file -> table.isSettled(file.entry()))
                .filter(SketchChange::isNeeded)
                .findFirst()
                .map(
                        file ->
                                new Compaction(
                                        List.of(file.entry()),
                                        files -> SketchChange.read(files, table, file)));
    }

    // Never at the same time as a compaction of the table's own files, against which entries are
    // checked.
    private Optional<Compaction> indexCompaction(
            long retentionLsn, boolean asked, Predicate<FileEntry> isHeldBack) {
        TableView view = table.view();
        for (IndexView index : view.indexes()) {
            if (!index.complete()) {
                continue;
            }
            List<SstFile> expired = expired(index.files());
            if (!expired.isEmpty()) {
                return Optional.of(
                        Compaction.unread(
                                _ -> new IndexCompaction(table, view, index, expired, 0)));
            }
            if (asked) {
                Optional<Compaction> whole = wholeIndex(view, index, retentionLsn);
                if (whole.isPresent()) {
                    return whole;
                }
                continue;
            }
            Optional<Pick> picked = pickRows(index.files(), retentionLsn, false, isHeldBack);
            if (picked.isPresent()) {
                return picked.map(pick -> indexWork(view, index, pick, retentionLsn));
            }
        }
        return Optional.empty();
    }

    // On request, all files become one run and every entry is checked against the rows.
    private Optional<Compaction> wholeIndex(TableView view, IndexView index, long retentionLsn) {
        Set<Integer> levels = new HashSet<>();
        index.files().forEach(file -> levels.add(file.entry().level()));
        if (levels.size() < 2 && !levels.contains(0)) {
            return Optional.empty();
        }
        int lowest = Math.max(1, Collections.max(levels));
        return Optional.of(
                new Compaction(
                        entries(index.files()),
                        files ->
                                new IndexCompaction(table, view, index, index.files(), lowest)
                                        .write(
                                                files.replacing(entries(index.files())),
                                                retentionLsn,
                                                rowPolicy.fileBytes(),
                                                true)));
    }

    private Compaction indexWork(TableView view, IndexView index, Pick pick, long retentionLsn) {
        return sstCompaction(
                index.files(),
                pick,
                (files, inputs) ->
                        new IndexCompaction(table, view, index, inputs, pick.outputLevel())
                                .write(
                                        files.replacing(entries(inputs)),
                                        retentionLsn,
                                        rowPolicy.fileBytes(),
                                        false));
    }

    /** The compaction of picked SST files, with rows or with entries of an index. */
    private Compaction sstCompaction(List<SstFile> sstFiles, Pick pick, SstWork work) {
        List<SstFile> inputs = inputs(sstFiles, pick);
        return pick.isMove()
                ? Compaction.unread(_ -> new TrivialMove(table, inputs, pick.outputLevel()))
                : new Compaction(pick.inputs(), files -> work.run(files, inputs));
    }

    private static List<FileEntry> entries(List<SstFile> sstFiles) {
        return sstFiles.stream().map(SstFile::entry).toList();
    }

    private Optional<Pick> pickRows(
            List<SstFile> sstFiles,
            long retentionLsn,
            boolean asked,
            Predicate<FileEntry> isHeldBack) {
        long expiredLsn = table.expiredLsn();
        List<Candidate> candidates =
                sstFiles.stream()
                        .map(file -> Candidate.of(file, retentionLsn, expiredLsn))
                        .toList();
        Optional<Pick> picked =
                asked
                        ? rowPolicy.pickAll(candidates, retentionLsn)
                        : rowPolicy.pick(candidates, retentionLsn);
        // Nor before the manifest names a file that was ingested
        return picked.filter(
                pick ->
                        pick.inputs().stream()
                                .noneMatch(
                                        file -> isHeldBack.test(file) || !table.isSettled(file)));
    }

    // Their tombstones may be dropped too: the rows that they delete have also expired.
    private List<SstFile> expired(List<SstFile> sstFiles) {
        long expiredLsn = table.expiredLsn();
        return sstFiles.stream()
                .filter(file -> file.entry().maxLsn().value() < expiredLsn)
                .filter(file -> table.isSettled(file.entry()))
                .toList();
    }

    // In the order of the view, so that the newest version of a key comes first.
    private static List<SstFile> inputs(List<SstFile> sstFiles, Pick pick) {
        Set<String> chosen = new HashSet<>();
        pick.inputs().forEach(entry -> chosen.add(entry.fileId()));
        return sstFiles.stream().filter(file -> chosen.contains(file.entry().fileId())).toList();
    }

    /** An estimate of the bytes that compactions must read until none is due; any thread. */
    public long pendingBytes() {
        TableView view = table.view();
        long pending = pendingBytes(view.sstFiles());
        for (IndexView index : view.indexes()) {
            pending += pendingBytes(index.files());
        }
        long historyLsn = table.historyLsn();
        return pending
                + columnPolicy.pendingBytes(
                        view.columnFiles().stream()
                                .map(file -> candidate(file, historyLsn))
                                .toList());
    }

    private long pendingBytes(List<SstFile> sstFiles) {
        return rowPolicy.pendingBytes(
                sstFiles.stream().map(file -> Candidate.of(file, 0, 0)).toList());
    }

    // A newer file must not move below an older file that shares its keys, so no input may be
    // omitted. While an input is held back, SST files are not compacted.
    private Optional<Compaction> rowCompaction(
            long retentionLsn, boolean asked, Predicate<FileEntry> isHeldBack) {
        TableView view = table.view();
        List<SstFile> gone = new ArrayList<>(expired(view.sstFiles()));
        view.sstFiles().stream()
                .filter(file -> file.isObsoleteAt(retentionLsn, view.schema()))
                .filter(file -> table.isSettled(file.entry()))
                .filter(file -> !gone.contains(file))
                .forEach(gone::add);
        if (!gone.isEmpty()) {
            return Optional.of(Compaction.unread(_ -> RowCompaction.drop(table, gone)));
        }
        return pickRows(view.sstFiles(), retentionLsn, asked, isHeldBack)
                .map(pick -> rowWork(view, pick, retentionLsn));
    }

    private Compaction rowWork(TableView view, Pick pick, long retentionLsn) {
        return sstCompaction(
                view.sstFiles(),
                pick,
                (files, inputs) ->
                        new RowCompaction(table, inputs, pick)
                                .write(
                                        files.replacing(entries(inputs)),
                                        retentionLsn,
                                        rowPolicy.fileBytes()));
    }

    private Optional<Compaction> columnCompaction(
            long retentionLsn, boolean asked, Predicate<FileEntry> isHeldBack) {
        TableView view = table.view();
        List<ColumnCompactionPolicy.Candidate> candidates =
                view.columnFiles().stream()
                        .filter(file -> table.isSettled(file.entry()))
                        .filter(file -> !isHeldBack.test(file.entry()))
                        .map(file -> candidate(file, retentionLsn))
                        .toList();
        List<Integer> segmentKey = table.schema().options().segmentKey();
        OptionalInt segmentColumn =
                segmentKey.isEmpty() ? OptionalInt.empty() : OptionalInt.of(segmentKey.getFirst());
        return (asked
                        ? columnPolicy.pickAll(candidates, segmentColumn)
                        : columnPolicy.pick(candidates, segmentColumn))
                .map(picked -> columnWork(view, picked, retentionLsn));
    }

    private Compaction columnWork(
            TableView view, ColumnCompactionPolicy.Pick picked, long retentionLsn) {
        Set<String> chosen = new HashSet<>();
        picked.files().forEach(candidate -> chosen.add(candidate.entry().fileId()));
        List<ColumnFile> inputs =
                view.columnFiles().stream()
                        .filter(file -> chosen.contains(file.entry().fileId()))
                        .toList();
        List<FileEntry> entries = inputs.stream().map(ColumnFile::entry).toList();
        return new Compaction(
                entries,
                files ->
                        new ColumnCompaction(table, inputs, retentionLsn)
                                .write(
                                        files.replacing(entries),
                                        history,
                                        picked.level(),
                                        targetBytes));
    }

    private ColumnCompactionPolicy.Candidate candidate(ColumnFile file, long retentionLsn) {
        long deleted = Math.max(file.deletedAt(retentionLsn), expiredRows(file));
        return new ColumnCompactionPolicy.Candidate(
                file.entry(),
                deleted,
                Math.max(deleted, file.deletes().cardinality()),
                clusteringRange);
    }

    // All rows, none, or 1 for an unknown number, which only a read of the rows would show.
    private long expiredRows(ColumnFile file) {
        FileEntry entry = file.entry();
        long expiredLsn = table.expiredLsn();
        if (entry.maxLsn().value() < expiredLsn) {
            return entry.rowCount();
        }
        return entry.minLsn().value() < expiredLsn ? 1 : 0;
    }

    private Optional<Range> clusteringRange(FileEntry entry) {
        List<Integer> clusteringKey = table.schema().clusteringKey();
        if (clusteringKey.isEmpty()) {
            return entry.minKey().map(min -> new Range(min, entry.maxKey().orElseThrow()));
        }
        ColumnStats stats = entry.columnStats().get(clusteringKey.getFirst());
        return stats == null || stats.min().isEmpty() || stats.max().isEmpty()
                ? Optional.empty()
                : Optional.of(new Range(stats.min().get(), stats.max().get()));
    }

    /**
     * A compaction or another change of files that is to be run.
     *
     * @param inputs the files that it reads
     */
    public record Compaction(List<FileEntry> inputs, Work work) {
        public Compaction {
            inputs = List.copyOf(inputs);
            requireNonNull(work, "work is null");
        }

        /** The size of the input files, in bytes. */
        public long inputBytes() {
            return inputs.stream().mapToLong(FileEntry::sizeBytes).sum();
        }

        private static Compaction unread(Work work) {
            return new Compaction(List.of(), work);
        }
    }

    /** As {@link Work}, with the SST files as an argument. */
    @FunctionalInterface
    private interface SstWork {
        ManifestChange run(TableFiles files, List<SstFile> inputs) throws IOException;
    }

    /** Writes files on a background thread, and returns the change for the next manifest. */
    @FunctionalInterface
    public interface Work {
        /**
         * Runs the work; blocks on the store.
         *
         * @param files reads and writes the files
         */
        ManifestChange run(TableFiles files) throws IOException;
    }
}
