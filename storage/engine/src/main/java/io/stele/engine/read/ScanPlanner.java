package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.PartitionMatcher;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.Shards;
import io.stele.engine.row.TableVersions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.IndexCondition;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.roaringbitmap.RoaringBitmap;

/**
 * The planner of table scans at a snapshot: it selects the column files that may have matching
 * rows, and the shards that have more rows in memory.
 */
final class ScanPlanner {
    private static final byte[] NO_ROWS = {};

    private final Shards shards;
    private final IndexReads indexes;
    private final FileListCache fileLists;
    private final TableFiles tableFiles;

    ScanPlanner(Shards shards, IndexReads indexes, FileListCache fileLists, TableFiles tableFiles) {
        this.tableFiles = requireNonNull(tableFiles, "tableFiles is null");
        this.fileLists = requireNonNull(fileLists, "fileLists is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.indexes = requireNonNull(indexes, "indexes is null");
    }

    /** As {@link #plan}, with lookups where a secondary index finds few rows. Blocks on files. */
    ScanPlan planLookups(
            LeasedSnapshot snapshot, TableSchema schema, int schemaVersion, ScanPredicate predicate)
            throws IOException {
        ScanPlan scans = plan(snapshot, schema, schemaVersion, predicate);
        Optional<IndexCondition> condition = IndexCondition.of(schema, predicate);
        if (condition.isEmpty() || schema.schemaVersion() != schemaVersion) {
            return scans;
        }
        List<OptionalLong> counts =
                indexes.counts(
                        schema,
                        scans.shards().stream().map(ShardScan::shard).toList(),
                        condition.get(),
                        snapshot.lsn());
        List<ShardScan> better = new ArrayList<>();
        for (int i = 0; i < counts.size(); i++) {
            ShardScan scan = scans.shards().get(i);
            OptionalLong found = counts.get(i);
            better.add(
                    found.isEmpty()
                            ? scan
                            : new ShardScan(
                                    scan.shard(),
                                    List.of(),
                                    found.getAsLong() > 0,
                                    ScanMode.LOOKUP,
                                    found.getAsLong()));
        }
        return new ScanPlan(scans.readLsn(), scans.fromLsn(), better);
    }

    /**
     * @param schemaVersion of the predicate and the caller
     */
    ScanPlan plan(
            LeasedSnapshot snapshot,
            TableSchema schema,
            int schemaVersion,
            ScanPredicate predicate) {
        long fromLsn = snapshot.firstVisibleLsn(schema);
        PartitionMatcher partitions = new PartitionMatcher(schema, predicate);
        List<ShardScan> scans = new ArrayList<>();
        for (ShardId id : schema.shards()) {
            TableView view = VersionedRead.view(snapshot, shards, schema, id, schemaVersion);
            scans.add(
                    schema.orientation().hasColumns()
                            ? columns(id, view, snapshot.lsn(), fromLsn, predicate, partitions)
                            : rows(id, view));
        }
        return new ScanPlan(snapshot.lsn().value(), fromLsn, scans);
    }

    private ShardScan columns(
            ShardId id,
            TableView view,
            Lsn lsn,
            long fromLsn,
            ScanPredicate predicate,
            PartitionMatcher partitions) {
        List<FileScan> files = new ArrayList<>();
        List<ColumnFile> candidates =
                fileLists.select(view.versions(), id, view.columnFiles(), partitions, predicate);
        for (ColumnFile file : candidates) {
            boolean isLive = file.entry().maxLsn().value() >= fromLsn;
            if (isLive && partitions.matches(file.entry())) {
                scan(view.versions(), file, lsn, predicate).ifPresent(files::add);
            }
        }
        long inMemory = view.memoryVersions();
        return new ShardScan(id, files, inMemory > 0, ScanMode.LIVE, inMemory);
    }

    private static ShardScan rows(ShardId id, TableView view) {
        long rows =
                view.memoryVersions()
                        + view.sstFiles().stream().mapToLong(file -> file.entry().rowCount()).sum();
        return new ShardScan(id, List.of(), rows > 0, ScanMode.SNAPSHOT, rows);
    }

    private Optional<FileScan> scan(
            TableVersions versions, ColumnFile file, Lsn lsn, ScanPredicate predicate) {
        FileEntry entry = file.entry();
        Map<Integer, ColumnStats> statistics = versions.statistics(entry);
        if (entry.minLsn().compareTo(lsn) > 0
                || file.isObsoleteAt(lsn.value())
                || !predicate.mayMatch(statistics, entry.rowCount())) {
            return Optional.empty();
        }
        RoaringBitmap deleted = file.deletes().bitmapAt(lsn.value());
        long deletedCount = deleted.getLongCardinality();
        if (deletedCount == entry.rowCount()) {
            return Optional.empty();
        }
        return Optional.of(
                new FileScan(
                        entry.path(),
                        entry.sizeBytes(),
                        entry.rowCount(),
                        entry.schemaVersion(),
                        entry.minLsn().value(),
                        entry.maxLsn().value(),
                        entry.ingestLsn()
                                .map(ingest -> OptionalLong.of(ingest.value()))
                                .orElse(OptionalLong.empty()),
                        entry.firstRowId(),
                        deletedCount == 0 ? NO_ROWS : serialize(deleted),
                        deletedCount,
                        statistics,
                        predicate.certainColumns(statistics, entry.rowCount()),
                        entry.bitmapIndexBytes(),
                        entry.checksumBlockBytes(),
                        entry.indexedMetadata(),
                        tableFiles.hasMetadata(entry.path())));
    }

    private static byte[] serialize(RoaringBitmap bitmap) {
        ByteBuffer buffer = ByteBuffer.allocate(bitmap.serializedSizeInBytes());
        bitmap.serialize(buffer);
        return buffer.array();
    }
}
