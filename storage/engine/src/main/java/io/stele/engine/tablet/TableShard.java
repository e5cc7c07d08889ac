package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.KeyIndexSearch;
import io.stele.engine.datafile.ObsoleteFileRows;
import io.stele.engine.datafile.PartitionMatcher;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IngestedEntries;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.RangeTombstone;
import io.stele.engine.memtable.MappedMemTable;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.memtable.MemTableKind;
import io.stele.engine.memtable.StackedMemTable;
import io.stele.engine.row.HashBucket;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.row.ProbeKeys;
import io.stele.engine.row.RowCache;
import io.stele.engine.row.TableVersions;
import io.stele.engine.row.VisibleVersions;
import io.stele.engine.tablet.SealedMemTable.IngestedFile;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One table in one shard: its memtables and the files of its row tablet, its column tablet or both.
 * Log records, flushes and compactions change it; readers use its {@linkplain #view view}.
 *
 * <p>Invariant: changes come in LSN order. Invariant: a row of a column file that a later change
 * made obsolete is marked in the file's deletion vector before that change's LSN counts as applied;
 * so a scan is "file and not deleted at T" and never a merge.
 *
 * <p>Invariant: a memtable has rows of one schema version; the view reads all memtables and files
 * as the version that is in effect here. Invariant: version in effect {@code <=} announced {@code
 * <=} expected.
 *
 * <p>Confined to the shard's execution context, except for {@link #view}, {@link #versions}, {@link
 * #schema}, {@link #layout}, {@link #announced}, {@link #expected}, {@link #historyLsn}, {@link
 * #changedLsn} and {@link #takeRowIds}, which any thread may call, and for {@link #applyPart}.
 */
public final class TableShard {
    /**
     * Limit of memtables that are stacked when the number of apply workers changes: reads check
     * each.
     */
    private static final int MAX_HEIGHT = 4;

    private final ShardId shard;
    private final TableIndexes indexes;
    private final RowCache.Slice rowCache;
    private final KeyIndexSearch search;
    private final AtomicLong nextRowId = new AtomicLong();
    private final Traffic traffic = new Traffic();
    private final Deque<SealedMemTable> sealed = new ArrayDeque<>(); // oldest first
    // Since the last seal, by file id: a transaction may bring some ten thousand
    private final Map<String, IngestedFile> ingested = new LinkedHashMap<>();
    private volatile TableVersions versions; // in effect
    private volatile TableVersions announced;
    private volatile TableVersions expected;
    private volatile TableView view;
    private volatile List<RangeTombstone> tombstones =
            List.of(); // not yet written into SST files; by LSN
    private volatile boolean dropped;
    private volatile boolean replaced;
    private List<SealedMemTable> sealedTables = List.of(); // for the apply workers
    private MemTable active;
    private int workers = 1; // if several, the active memtable has as many parts
    private List<MemTableWriter> writers = List.of(); // one a worker, if several
    private @Nullable MemTableWriter writer; // of all rows, while the apply workers are idle
    private long activeSinceMillis = Long.MAX_VALUE; // of the first change since the last seal
    private long endedLogLsn = Long.MAX_VALUE; // of the first endPartitions since the last seal
    private volatile long changedLsn; // written by the shard's context
    private long flushedLsn;
    private volatile long expiredLsn;
    private volatile long historyLsn; // read by any thread

    /**
     * @param reads of the store that files are in
     */
    public TableShard(
            ShardId shard, TableVersions versions, RowCache rowCache, ParallelReads reads) {
        this.rowCache = rowCache.slice();
        this.search = new KeyIndexSearch(reads);
        this.shard = requireNonNull(shard, "shard is null");
        this.versions = requireNonNull(versions, "versions is null");
        this.announced = versions;
        this.expected = versions;
        this.indexes = new TableIndexes(versions.schema(), versions.layout());
        this.active = newMemTable();
        this.view = new TableView(versions, List.of(active), List.of(), List.of(), indexes.views());
        renewWriters();
    }

    private MemTable newMemTable() {
        return MemTable.create(
                workers, MemTableKind.of(versions.schema()), versions.schemaVersion());
    }

    public ShardId shard() {
        return shard;
    }

    /** The schema version in effect: that of rows in the newest view. */
    public TableVersions versions() {
        return versions;
    }

    public TableSchema schema() {
        return versions.schema();
    }

    /** The version that writes must have: in effect, or about to be. */
    public TableVersions announced() {
        return announced;
    }

    /** The newest version that readers may have: announced, or about to be. */
    public TableVersions expected() {
        return expected;
    }

    /**
     * Sets the version that the catalog is about to have, which readers may use from now on. Any
     * thread, one at a time.
     */
    public void expect(TableVersions newest) {
        expected = newest;
    }

    /**
     * Sets the version that the catalog has now, which writes must have; any thread, one at a time.
     *
     * @return false: its columns changed, so {@link #alter} must follow on the context
     */
    public boolean announce(TableVersions newest) {
        boolean isSame = newest.schemaVersion() == versions.schemaVersion();
        expected = newest;
        if (isSame) {
            versions = versions.renamed(newest.schema());
            announced = versions;
        } else {
            announced = newest;
        }
        return isSame;
    }

    /**
     * Puts changed columns into effect: rows that are applied from now on have them, and existing
     * rows are read as if they had them. Nothing is rewritten.
     *
     * @param appliedLsn every change at or below is applied
     */
    public void alter(TableVersions newest, long appliedLsn) {
        if (newest.schemaVersion() <= versions.schemaVersion()) {
            return; // a later change was in effect before
        }
        rowCache.beginReset();
        seal(appliedLsn);
        versions = newest;
        active = newMemTable(); // the previous one may be in views of readers with other columns
        indexes.follow(newest.schema(), newest.layout());
        show(view.sstFiles(), view.columnFiles());
        rowCache.endReset();
    }

    /**
     * Frees the memory, which will not be read or flushed. Readers that have a view continue. On
     * the context, while the apply workers are idle.
     */
    public void releaseMemory() {
        rowCache.beginReset();
        sealed.clear();
        ingested.clear();
        endedLogLsn = Long.MAX_VALUE;
        activeSinceMillis = Long.MAX_VALUE;
        active = newMemTable();
        indexes.releaseMemory();
        show(view.sstFiles(), view.columnFiles());
        rowCache.endReset();
    }

    /** Marks the table as dropped, so that work on its files may end early. Any thread. */
    public void drop() {
        dropped = true;
    }

    /**
     * Marks the table as replaced by another: its rows can still be read, and no more are accepted.
     * Any thread.
     */
    public void replace() {
        replaced = true;
    }

    /** The search for rows of column files by their keys. */
    public KeyIndexSearch search() {
        return search;
    }

    public boolean isReplaced() {
        return replaced;
    }

    public boolean isDropped() {
        return dropped;
    }

    /**
     * Called now and then by work on files.
     *
     * @throws TableDroppedException when the work is useless
     */
    public void checkNotDropped() {
        if (dropped) {
            throw new TableDroppedException(this);
        }
    }

    public RowLayout layout() {
        return versions.layout();
    }

    /** The traffic of this table; any thread. */
    public Traffic traffic() {
        return traffic;
    }

    /**
     * The present view of readers; hold the returned view as long as one consistent picture is
     * needed.
     */
    public TableView view() {
        return view;
    }

    /** Whether the table has an index now; any thread. */
    public boolean hasIndex(int indexId) {
        return view.index(indexId).isPresent();
    }

    /**
     * The cache of the newest rows of keys that were looked up. A change of newest rows other than
     * by {@link #apply} empties it.
     */
    public RowCache.Slice rowCache() {
        return rowCache;
    }

    /** Reserves consecutive row ids and returns the first. */
    public long takeRowIds(long count) {
        return nextRowId.getAndAdd(count);
    }

    public long nextRowId() {
        return nextRowId.get();
    }

    /** No row id below {@code rowId} is handed out from now on. */
    public void raiseNextRowId(long rowId) {
        nextRowId.accumulateAndGet(rowId, Math::max);
    }

    /** The LSN at or below which every change is in files that the manifest names. */
    public long flushedLsn() {
        return flushedLsn;
    }

    /** Restores the files and progress that a manifest names; only before the first change. */
    public void restore(
            long newFlushedLsn,
            long newNextRowId,
            long newHistoryLsn,
            List<SstFile> sstFiles,
            List<ColumnFile> columnFiles,
            Map<Integer, List<SstFile>> indexFiles,
            List<RangeTombstone> newTombstones) {
        tombstones = List.copyOf(newTombstones);
        flushedLsn = newFlushedLsn;
        changedLsn = newFlushedLsn; // what is in files changed then, or before
        historyLsn = newHistoryLsn;
        for (ColumnFile file : columnFiles) {
            historyLsn = Math.max(historyLsn, file.deletes().floorLsn());
        }
        raiseNextRowId(newNextRowId);
        indexes.restore(indexFiles);
        show(ordered(sstFiles), columnFiles);
    }

    /** Follows the indexes of the schema: new indexes receive entries from now on. */
    public void followIndexes() {
        indexes.follow(versions.schema(), versions.layout());
        show(view.sstFiles(), view.columnFiles());
    }

    /**
     * The LSN below which versions may be missing here: a flush or compaction dropped them, or
     * their deletions. It never decreases.
     */
    public long historyLsn() {
        return historyLsn;
    }

    /**
     * From now on no reader reads below {@code lsn}: files written later may omit versions that
     * became obsolete by then.
     */
    public void forgetHistory(long lsn) {
        historyLsn = Math.max(historyLsn, lsn);
        view.columnFiles().forEach(file -> file.deletes().forgetMany(lsn));
    }

    /**
     * From now on no reader reads below {@code horizonLsn}, so files written later may omit rows
     * that have expired there. The horizon may be above the applied LSN: rows that are applied
     * below it have expired too.
     */
    public void forgetExpired(long horizonLsn) {
        if (schema().options().expires()) {
            expiredLsn = Math.max(expiredLsn, Expiry.expiredLsn(schema(), horizonLsn));
            historyLsn = Math.max(historyLsn, horizonLsn);
        }
    }

    /** The LSN below which rows have expired for every reader; never decreases. Any thread. */
    public long expiredLsn() {
        return expiredLsn;
    }

    /**
     * Finds the rows of files that batches make obsolete, with one lookup for all batches. The rows
     * must be marked before {@link #apply} of the batches, with nothing between. It changes
     * nothing, so any thread may call it while the context waits.
     *
     * @param lsns of the batches, ascending
     */
    public ObsoleteFileRows findObsoleteFileRows(List<WriteBatchReader> batches, long[] lsns)
            throws IOException {
        if (!schema().orientation().hasColumns() || view.columnFiles().isEmpty()) {
            return ObsoleteFileRows.NONE;
        }
        return ObsoleteFileRows.find(search, view.columnFiles(), ProbeKeys.of(batches), lsns);
    }

    /**
     * Applies a batch, after the rows that {@link #findObsoleteFileRows} found for it are marked.
     *
     * @param lsn the LSN of the changes, at or above the LSNs of all earlier changes
     * @param firstRowId row id of the first appended row
     * @param logLsn the LSN of the oldest log record that a replay of them needs
     */
    public void apply(
            WriteBatchReader batch, long lsn, long firstRowId, long logLsn, long nowMillis) {
        markObsoleteInMemory(batch, lsn);
        touch(lsn, nowMillis);
        write(requireNonNull(writer), batch, lsn, firstRowId, logLsn);
    }

    private void write(
            MemTableWriter to, WriteBatchReader batch, long lsn, long firstRowId, long logLsn) {
        long nextId = to.write(batch, lsn, firstRowId, logLsn);
        if (nextId > firstRowId) {
            raiseNextRowId(nextId);
        }
    }

    /**
     * Notes that changes are about to be applied, here or by apply workers: the memtable's age
     * begins, if it has none.
     */
    public void touch(long lsn, long nowMillis) {
        activeSinceMillis = Math.min(activeSinceMillis, nowMillis);
        changedLsn = lsn;
    }

    /**
     * The LSN of the last change of rows; after a restart it may be higher. A reader at or above
     * it, and below the applied LSN, sees the present state. Any thread.
     */
    public long changedLsn() {
        return changedLsn;
    }

    /** The number of apply workers that can apply changes now. */
    public int workerCount() {
        return workers;
    }

    /**
     * Accepts changes from {@code newWorkers} apply workers from now on. With one, a memtable with
     * several parts stays in use until it is sealed, and is written by the context. Only while the
     * workers are idle, and all have applied the same records.
     *
     * @param appliedLsn every change at or below is applied
     */
    public void useWorkers(int newWorkers, long appliedLsn) {
        workers = newWorkers;
        indexes.useWorkers(newWorkers);
        if (newWorkers > 1 && active.bucketCount() != newWorkers) {
            if (StackedMemTable.height(active) >= MAX_HEIGHT) {
                seal(appliedLsn);
            }
            MemTable above = newMemTable();
            active = active.isEmpty() ? above : new StackedMemTable(above, active);
        }
        show(view.sstFiles(), view.columnFiles());
    }

    /**
     * Applies an apply worker's part of a batch: all of it or, if a file cannot be read, none of
     * it. It runs on the worker, beside other workers, after {@link #touch}; state that is confined
     * to the shard's context does not change meanwhile.
     *
     * @param batch a reader of the worker's own
     * @param obsolete collects the rows that become obsolete; they must be marked before the batch
     *     counts as applied
     */
    public void applyPart(
            int worker,
            WriteBatchReader batch,
            long lsn,
            long firstRowId,
            long logLsn,
            ObsoleteRows obsolete)
            throws IOException {
        if (marksRows()) {
            obsolete.find(search, batch, view.columnFiles(), sealedTables, lsn);
        }
        write(writers.get(worker), batch, lsn, firstRowId, logLsn);
    }

    /**
     * Puts a file of a worker or a bulk load into effect at its ingest LSN: its rows make the
     * present versions of their keys obsolete. If a file cannot be read it may be called again,
     * before anything else.
     *
     * @param keys what is known of its keys
     * @param logLsn the LSN of the oldest log record that its replay needs
     */
    public void ingest(
            TableFiles files, ColumnFile file, IngestedKeys keys, long logLsn, long nowMillis)
            throws IOException {
        long lsn = file.entry().minLsn().value();
        touch(lsn, nowMillis);
        String fileId = file.entry().fileId();
        Optional<ColumnFile> known = find(fileId);
        rowCache.beginReset();
        try {
            if (keys != IngestedKeys.NEW && schema().hasPrimaryKey()) {
                new IngestDeletions(known.orElse(file), keys, view, sealed, active, lsn, logLsn)
                        .run(files);
            }
            if (known.isEmpty()) {
                List<ColumnFile> columnFiles = new ArrayList<>(view.columnFiles());
                columnFiles.add(file);
                show(view.sstFiles(), columnFiles);
            }
            ingested.putIfAbsent(fileId, new IngestedFile(file.entry(), logLsn));
        } finally {
            rowCache.endReset();
        }
        if (file.entry().firstRowId().isPresent()) {
            raiseNextRowId(file.entry().firstRowId().getAsLong() + file.entry().rowCount());
        }
        if (!indexes.isEmpty()) {
            IngestedEntries.add(files, file.as(versions), schema(), indexes.writer(0));
        }
    }

    /**
     * Puts the SST files of a bulk load into effect at their ingest LSN, as far as they are not:
     * each key has one row in one of them, which is newer than all others. {@link #sealIngested}
     * follows.
     *
     * @param loaded in the schema version in which they were written, all of one LSN
     * @param logLsn the LSN of the oldest log record that their replay needs
     */
    public void ingestRows(TableFiles files, List<SstFile> loaded, long logLsn, long nowMillis)
            throws IOException {
        long lsn = loaded.getFirst().entry().minLsn().value();
        touch(lsn, nowMillis);
        Set<String> known = new HashSet<>();
        view.sstFiles().forEach(file -> known.add(file.entry().fileId()));
        List<SstFile> added = new ArrayList<>();
        IngestLevels levels = new IngestLevels(view, loaded);
        for (SstFile file : loaded) {
            if (!known.contains(file.entry().fileId())) {
                added.add(file.withEntry(file.entry().withLevel(levels.of(file.entry()))));
            }
        }
        rowCache.beginReset();
        try {
            List<SstFile> sstFiles = new ArrayList<>(view.sstFiles());
            sstFiles.addAll(added);
            show(ordered(sstFiles), view.columnFiles());
            for (SstFile file : added) {
                ingested.put(file.entry().fileId(), new IngestedFile(file.entry(), logLsn));
            }
        } finally {
            rowCache.endReset();
        }
        if (!indexes.isEmpty()) {
            for (SstFile file : loaded) {
                IngestedEntries.add(files, file.as(versions), schema(), indexes.writer(0));
            }
        }
    }

    /**
     * Closes the active memtable after {@link #ingestRows}, once all changes of the same LSN are
     * applied. So its rows, which are older than those of the files, are never in one file with
     * newer ones: level 0 stays in the order of LSNs.
     */
    public void sealIngested(long lsn) {
        if (!ingested.isEmpty()) {
            seal(lsn);
        }
    }

    /**
     * Reads ahead the blocks of other files that {@link #ingest} will need. Any thread; blocks.
     *
     * @param maxBytes the approximate limit of bytes to read
     * @return an upper bound of the bytes that were read
     */
    public long prefetchIngest(TableFiles files, ColumnFile file, long maxBytes)
            throws IOException {
        return IngestDeletions.prefetch(files, file, view, maxBytes);
    }

    /** Range tombstones that some SST files do not contain yet; by LSN. Any thread. */
    public List<RangeTombstone> tombstones() {
        return tombstones;
    }

    /**
     * Deletes the present rows of all partitions that match: in files without reading them, and in
     * memory one by one.
     *
     * @param lsn above the LSNs of all earlier changes
     * @param logLsn the LSN of the oldest log record that its replay needs
     */
    public void endPartitions(ScanPredicate partitions, long lsn, long logLsn, long nowMillis) {
        touch(lsn, nowMillis);
        endedLogLsn = Math.min(endedLogLsn, logLsn);
        rowCache.beginReset();
        PartitionMatcher matcher = new PartitionMatcher(schema(), partitions);
        for (ColumnFile file : view.columnFiles()) {
            if (matcher.matches(file.entry())) {
                file.endAll(lsn);
            }
        }
        for (KeyedVersion row : presentInMemory(partitions)) {
            active.put(
                    KeyedVersion.deleted(row.keyArray(), row.keyOffset(), row.keyLength(), lsn),
                    logLsn);
            byte[] key = row.key();
            sealed.forEach(older -> older.markObsolete(key, lsn));
        }
        if (!view.sstFiles().isEmpty()) {
            List<RangeTombstone> newTombstones = new ArrayList<>(tombstones);
            newTombstones.add(new RangeTombstone(new Lsn(lsn), partitions));
            tombstones = List.copyOf(newTombstones);
            show(view.sstFiles(), view.columnFiles());
        }
        rowCache.endReset();
    }

    private List<KeyedVersion> presentInMemory(ScanPredicate partitions) {
        VisibleVersions present =
                new VisibleVersions(
                        new MergingVersions(
                                view.memTables().stream().map(MemTable::versions).toList()),
                        Long.MAX_VALUE);
        RowMatcher matcher = partitions.matcher(layout());
        BinaryRow row = new BinaryRow(layout());
        List<KeyedVersion> found = new ArrayList<>();
        while (present.advance()) {
            KeyedVersion version = present.version();
            row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
            if (matcher.matches(row)) {
                found.add(version);
            }
        }
        return found;
    }

    /** Bytes in the memtables that receive writes, including memtables of indexes. */
    public long activeBytes() {
        return active.sizeBytes() + indexes.activeBytes();
    }

    /**
     * The time of the first change that is not sealed, in epoch milliseconds; {@code
     * Long.MAX_VALUE} if all are.
     */
    public long activeSinceMillis() {
        return activeSinceMillis;
    }

    public boolean hasUnsealedChanges() {
        return !active.isEmpty() || !ingested.isEmpty() || endedLogLsn != Long.MAX_VALUE;
    }

    /**
     * The number of a view's SST files in level 0, each of which a read may have to check. The
     * files of a bulk load count as one, since each key is in one of them.
     */
    public static int level0Count(List<SstFile> files) {
        int count = 0;
        Optional<Lsn> load = Optional.empty();
        for (SstFile file : files) {
            if (file.entry().level() > 0) {
                break; // they come by level
            }
            Optional<Lsn> ingested = file.entry().ingestLsn();
            if (ingested.isEmpty() || !ingested.equals(load)) { // they come by LSN
                count++;
            }
            load = ingested;
        }
        return count;
    }

    public int sealedCount() {
        return sealed.size();
    }

    /**
     * The lowest log LSN that must be retained to replay the changes that are not in files; {@code
     * Long.MAX_VALUE} if all are.
     */
    public long minLogLsn() {
        long lowest = Math.min(active.minLogLsn(), endedLogLsn);
        for (IngestedFile file : ingested.values()) {
            lowest = Math.min(lowest, file.logLsn());
        }
        for (SealedMemTable table : sealed) {
            lowest = Math.min(lowest, table.minLogLsn());
        }
        return lowest;
    }

    /** Whether a manifest names a file: a worker's file is named only after the next flush. */
    public boolean isSettled(FileEntry file) {
        if (ingested.isEmpty() && sealed.isEmpty()) { // as usual, for each of very many files
            return true;
        }
        String fileId = file.fileId();
        return !ingested.containsKey(fileId)
                && sealed.stream().noneMatch(table -> table.hasIngested(fileId));
    }

    /** Closes the active memtable and opens a new one; does nothing without changes. */
    public void seal(long appliedLsn) {
        if (!hasUnsealedChanges()) {
            return;
        }
        sealed.addLast(
                new SealedMemTable(active, ingested, indexes.seal(), appliedLsn, endedLogLsn));
        ingested.clear();
        endedLogLsn = Long.MAX_VALUE;
        active = newMemTable();
        activeSinceMillis = Long.MAX_VALUE;
        show(view.sstFiles(), view.columnFiles());
    }

    /** The sealed memtable to flush next. */
    public Optional<SealedMemTable> oldestSealed() {
        return Optional.ofNullable(sealed.peekFirst());
    }

    /** Replaces the oldest sealed memtable by its files. */
    public void installFlush(SealedMemTable flushed, NewFiles files) {
        if (sealed.peekFirst() != flushed) {
            throw new IllegalStateException(
                    "Expected the flush of the oldest memtable of table " + schema().id());
        }
        sealed.removeFirst();
        flushedLsn = flushed.sealLsn();
        List<SstFile> newSstFiles = new ArrayList<>(view.sstFiles());
        newSstFiles.addAll(files.sstFiles());
        List<ColumnFile> newColumnFiles = new ArrayList<>(view.columnFiles());
        newColumnFiles.addAll(files.columnFiles());
        indexes.installFlush(flushed.indexes(), files.indexFiles());
        show(ordered(newSstFiles), newColumnFiles);
    }

    /** Replaces files of an index by compacted ones. */
    public void installIndexCompaction(
            int indexId, Set<String> removedFileIds, List<SstFile> files, long staleEntries) {
        indexes.installCompaction(indexId, removedFileIds, files, staleEntries);
        show(view.sstFiles(), view.columnFiles());
    }

    /** Adds the entries of all rows from before an index. */
    public void completeIndex(int indexId, List<SstFile> files) {
        indexes.complete(indexId, files);
        show(view.sstFiles(), view.columnFiles());
    }

    /** Replaces the inputs of a compaction by its outputs. */
    public void installCompaction(
            Collection<String> inputFileIds, List<SstFile> sstFiles, List<ColumnFile> columnFiles) {
        Set<String> removed = new HashSet<>(inputFileIds);
        List<SstFile> newSstFiles = new ArrayList<>(view.sstFiles());
        newSstFiles.removeIf(file -> removed.contains(file.entry().fileId()));
        newSstFiles.addAll(sstFiles);
        List<ColumnFile> newColumnFiles = new ArrayList<>(view.columnFiles());
        newColumnFiles.removeIf(file -> removed.contains(file.entry().fileId()));
        newColumnFiles.addAll(columnFiles);
        show(ordered(newSstFiles), newColumnFiles);
    }

    /**
     * Replaces each column file by the result of {@code change}: the same file with a newer
     * manifest entry.
     */
    public void updateColumnFiles(UnaryOperator<ColumnFile> change) {
        List<ColumnFile> changed = view.columnFiles().stream().map(change).toList();
        show(view.sstFiles(), changed);
    }

    // Files come from jobs that may have started before the columns changed. Every change of the
    // memtables ends here, so the writers are created anew here too.
    private void show(List<SstFile> sstFiles, List<ColumnFile> columnFiles) {
        TableVersions present = versions;
        List<RangeTombstone> presentTombstones = tombstones;
        List<SstFile> readSstFiles =
                as(
                        sstFiles,
                        file ->
                                file.as(present)
                                        .withTombstones(presentTombstones, present.schema()));
        tombstones =
                presentTombstones.stream()
                        .filter(
                                end ->
                                        readSstFiles.stream()
                                                .anyMatch(f -> f.tombstones().contains(end)))
                        .toList();
        List<MemTable> memTables = new ArrayList<>();
        memTables.add(active);
        for (SealedMemTable table : sealed.reversed()) {
            if (!table.memTable().isEmpty()) {
                memTables.add(MappedMemTable.of(table.memTable(), present));
            }
        }
        view =
                new TableView(
                        present,
                        memTables,
                        readSstFiles,
                        as(columnFiles, file -> file.as(present)),
                        indexes.views());
        renewWriters();
    }

    private void renewWriters() {
        sealedTables = List.copyOf(sealed);
        writer = new MemTableWriter(versions, rowCache, HashBucket.ALL, active, indexes.writer(0));
        List<MemTableWriter> ofWorkers = new ArrayList<>();
        for (int worker = 0; worker < workers && workers > 1; worker++) {
            ofWorkers.add(
                    new MemTableWriter(
                            versions,
                            rowCache,
                            new HashBucket(worker, workers),
                            active.bucket(worker),
                            indexes.writer(worker)));
        }
        writers = List.copyOf(ofWorkers);
    }

    /** The same list if no file changes: readers compare it by identity. */
    private static <T> List<T> as(List<T> files, UnaryOperator<T> change) {
        List<T> changed = files.stream().map(change).toList();
        for (int i = 0; i < changed.size(); i++) {
            if (changed.get(i) != files.get(i)) {
                return changed;
            }
        }
        return files;
    }

    private Optional<ColumnFile> find(String fileId) {
        return view.columnFiles().stream()
                .filter(file -> file.entry().fileId().equals(fileId))
                .findFirst();
    }

    /**
     * Whether changes may make rows obsolete in column files, or in memtables that become column
     * files.
     */
    private boolean marksRows() {
        return schema().orientation().hasColumns()
                && !(view.columnFiles().isEmpty() && sealed.isEmpty());
    }

    /** Marks the rows of the batch's keys in memtables that are being flushed into column files. */
    private void markObsoleteInMemory(WriteBatchReader batch, long lsn) {
        if (sealed.isEmpty() || !schema().orientation().hasColumns()) {
            return;
        }
        for (batch.rewind(); batch.next(); ) {
            if (batch.kind() != OperationKind.APPEND) {
                byte[] key = batch.key();
                sealed.forEach(table -> table.markObsolete(key, lsn));
            }
        }
    }

    /** Level 0 newest first, then level 1. */
    static List<SstFile> ordered(List<SstFile> files) {
        Comparator<SstFile> newestFirst =
                Comparator.comparing((SstFile file) -> file.entry().maxLsn()).reversed();
        return files.stream()
                .sorted(
                        Comparator.comparingInt((SstFile file) -> file.entry().level())
                                .thenComparing(newestFirst))
                .toList();
    }
}
