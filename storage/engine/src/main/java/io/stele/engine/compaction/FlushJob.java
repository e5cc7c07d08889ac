package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.output.ClusteringOrder;
import io.stele.engine.compaction.output.ClusteringOrder.Placed;
import io.stele.engine.compaction.output.ColumnFileOutput;
import io.stele.engine.compaction.output.RowPartitions;
import io.stele.engine.compaction.output.SstFileOutput;
import io.stele.engine.compaction.policy.HistoryFiles;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexEntries;
import io.stele.engine.index.IndexKeys;
import io.stele.engine.index.IndexMemTable;
import io.stele.engine.index.IndexView;
import io.stele.engine.memtable.MappedMemTable;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.row.RetainedVersions;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.NewFiles;
import io.stele.engine.tablet.SealedMemTable;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A flush of a sealed memtable into SST files, column files or both, which runs on a background
 * thread. It writes one SST file, or one column file with its key index per partition, or both, and
 * an SST file for each secondary index. Its files take effect when a manifest that lists them is
 * durable.
 */
final class FlushJob {
    private static final int LEVEL = 0;

    private final TableFiles files;
    private final TableShard table;
    private final TableVersions versions;
    private final SealedMemTable sealed;
    private final MemTable rows;
    private final HistoryFiles history;
    private final long retentionLsn;

    /**
     * @param retentionLsn versions that became obsolete at or below this LSN are dropped
     */
    FlushJob(
            TableFiles files,
            TableShard table,
            SealedMemTable sealed,
            HistoryFiles history,
            long retentionLsn) {
        this.files = requireNonNull(files, "files is null");
        this.table = requireNonNull(table, "table is null");
        this.sealed = requireNonNull(sealed, "sealed is null");
        this.versions = table.versions();
        this.rows = MappedMemTable.of(sealed.memTable(), versions);
        this.history = requireNonNull(history, "history is null");
        this.retentionLsn = retentionLsn;
    }

    NewFiles run() throws IOException {
        TableSchema schema = versions.schema();
        boolean withRows = !rows.isEmpty();
        List<SstFile> sstFiles =
                withRows && schema.orientation().hasRows() ? writeRows() : List.of();
        List<ColumnFile> columnFiles =
                withRows && schema.orientation().hasColumns() ? writeColumns() : List.of();
        return new NewFiles(sstFiles, columnFiles, writeIndexes());
    }

    private List<SstFile> writeIndexes() throws IOException {
        List<SstFile> written = new ArrayList<>();
        TableView view = table.view();
        for (Map.Entry<Integer, List<IndexMemTable>> index : sealed.indexes().entrySet()) {
            Optional<IndexView> present = view.index(index.getKey());
            if (present.isPresent()) { // else the index was dropped meanwhile
                written.addAll(writeIndex(present.get().keys(), index.getValue()));
            }
        }
        return written;
    }

    private List<SstFile> writeIndex(IndexKeys keys, List<IndexMemTable> memTables)
            throws IOException {
        try (SstFileOutput output =
                SstFileOutput.ofIndex(files, table, keys, LEVEL, Long.MAX_VALUE)) {
            IndexEntries entries =
                    new IndexEntries(
                            new MergingVersions(
                                    memTables.stream().map(IndexMemTable::entries).toList()),
                            retentionLsn,
                            table.expiredLsn());
            while (entries.advance()) {
                output.add(entries.entry());
            }
            return output.finish();
        }
    }

    private List<SstFile> writeRows() throws IOException {
        try (SstFileOutput output =
                new SstFileOutput(
                        files, table, versions, LEVEL, Long.MAX_VALUE, appliedTombstonesLsn())) {
            RetainedVersions retained = retained();
            while (retained.advance()) {
                output.add(retained.version());
            }
            return output.finish();
        }
    }

    // A deletion of partitions wrote tombstones into the memtable that was active then.
    private OptionalLong appliedTombstonesLsn() {
        return table.tombstones().isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(sealed.sealLsn());
    }

    private List<ColumnFile> writeColumns() throws IOException {
        try (ColumnFileOutput output =
                new ColumnFileOutput(
                        files, table, versions, LEVEL, Long.MAX_VALUE, isHistoryApart())) {
            if (ClusteringOrder.isClustered(table)
                    || !versions.schema().partitionedBy().isEmpty()) {
                for (List<Placed> partition : placed()) {
                    for (Placed row : partition) {
                        output.add(row.version(), row.endLsn());
                    }
                }
            } else {
                RetainedVersions retained = retained();
                while (retained.advance()) {
                    KeyedVersion version = retained.version();
                    if (!version.isDeleted()) {
                        output.add(version, retained.endLsn());
                    }
                }
            }
            return new ArrayList<>(output.finish());
        }
    }

    private RetainedVersions retained() {
        return new RetainedVersions(rows.versions(), retentionLsn, table.expiredLsn());
    }

    private boolean isHistoryApart() {
        long older = rows.olderVersionCount();
        if (table.expiredLsn() == 0 && !history.areWorthIt(older, rows.versionCount() - older)) {
            return false; // for every retention, without a check of each version
        }
        long count = 0;
        long ended = 0;
        RetainedVersions retained = retained();
        while (retained.advance()) {
            count++;
            ended += retained.endLsn() == RetainedVersions.PRESENT ? 0 : 1;
        }
        return history.areWorthIt(ended, count);
    }

    // By partition, and within a partition in the order of its file. The rows are not copied from
    // the memtable.
    private Collection<List<Placed>> placed() {
        ClusteringOrder order = new ClusteringOrder(versions);
        RowPartitions partitions = new RowPartitions(versions);
        BinaryRow row = new BinaryRow(versions.layout());
        Map<byte[], List<Placed>> placed = new TreeMap<>(Arrays::compareUnsigned);
        RetainedVersions retained = retained();
        while (retained.advance()) {
            KeyedVersion version = retained.version();
            if (!version.isDeleted()) {
                row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
                placed.computeIfAbsent(partitions.of(row), partition -> new ArrayList<>())
                        .add(order.place(version, retained.endLsn()));
            }
        }
        if (ClusteringOrder.isClustered(table)) {
            placed.values().forEach(rows -> rows.sort(Placed.ORDER));
        } // else the rows are in key order already
        return placed.values();
    }
}
