package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.aggregate.AggregateCache;
import io.stele.engine.aggregate.AggregateScan;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.node.Shards;
import io.stele.engine.scan.ChangeScanCursor;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.scan.ShardScanner;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.snapshot.Readers;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.LookupKeys;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.predicate.IndexCondition;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The entry point of an engine's reads of tables: plans, scans and aggregations at snapshots,
 * change scans, lookups by key and by index. Safe for use by many threads.
 */
public final class TableReads {
    private final CatalogService catalog;
    private final Shards shards;
    private final TableFiles files;
    private final SnapshotRegistry snapshots;
    private final PointReads pointReads;
    private final IndexReads indexReads;
    private final LookupScans lookups;
    private final ScanPlanner planner;
    private final TablePlans tablePlans;
    private final FileListCache fileLists;
    private final long maxChangesBytes;

    public TableReads(
            CatalogService catalog,
            Shards shards,
            TableFiles files,
            SnapshotRegistry snapshots,
            FileListCache fileLists,
            long maxChangesBytes) {
        this.fileLists = requireNonNull(fileLists, "fileLists is null");
        this.maxChangesBytes = maxChangesBytes;
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.pointReads = new PointReads(shards, files, snapshots);
        this.indexReads = new IndexReads(shards, files, snapshots);
        this.planner = new ScanPlanner(shards, indexReads, fileLists, files);
        this.tablePlans = new TablePlans(shards, planner);
        this.lookups = new LookupScans(pointReads, indexReads, snapshots, this::scanAll);
    }

    /** As {@code StorageEngine.plan(LeasedSnapshot, TableId, int, ScanPredicate)}. */
    public ScanPlan plan(
            LeasedSnapshot snapshot, TableId tableId, int schemaVersion, ScanPredicate predicate) {
        TableSchema schema = readable(snapshot, tableId);
        return planner.plan(snapshot, schema, schemaVersion, predicate);
    }

    /** As {@code StorageEngine.tablePlan}. */
    public TablePlan tablePlan(LeasedSnapshot snapshot, CachedPlan known) {
        TableSchema schema = readable(snapshot, known.tableId());
        return tablePlans.planIfChanged(snapshot, schema, known);
    }

    /** As {@code StorageEngine.planLookups(LeasedSnapshot, TableId, int, ScanPredicate)}. */
    public ScanPlan planLookups(
            LeasedSnapshot snapshot, TableId tableId, int schemaVersion, ScanPredicate predicate)
            throws IOException {
        TableSchema schema = readable(snapshot, tableId);
        return planner.planLookups(snapshot, schema, schemaVersion, predicate);
    }

    /** As the method of {@code StorageEngine}. */
    public RowCursor scan(
            LeasedSnapshot snapshot,
            TableId tableId,
            int schemaVersion,
            ShardId shard,
            ScanMode mode,
            ScanPredicate predicate)
            throws IOException {
        TableShard table = shards.shard(shard).table(tableId);
        readable(snapshot, tableId);
        shards.shard(shard).checkServing();
        if (mode == ScanMode.LOOKUP) {
            TableSchema schema = readable(snapshot, tableId);
            Optional<IndexCondition> condition = IndexCondition.of(schema, predicate);
            if (condition.isPresent() && schema.schemaVersion() == schemaVersion) {
                Optional<RowCursor> found =
                        indexReads.scan(schema, shard, condition.get(), predicate, snapshot);
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        return scan(snapshot, table, schemaVersion, shard, mode, predicate);
    }

    private RowCursor scanAll(
            LeasedSnapshot snapshot,
            TableSchema schema,
            int schemaVersion,
            ShardId shard,
            ScanPredicate predicate)
            throws IOException {
        shards.shard(shard).checkServing();
        TableShard table = shards.shard(shard).table(schema.id());
        return scan(snapshot, table, schemaVersion, shard, ScanMode.SNAPSHOT, predicate);
    }

    private RowCursor scan(
            LeasedSnapshot snapshot,
            TableShard table,
            int schemaVersion,
            ShardId shard,
            ScanMode mode,
            ScanPredicate predicate)
            throws IOException {
        return new ShardScanner(files)
                .scan(
                        VersionedRead.view(snapshot, table, shard, schemaVersion),
                        snapshot.lsn(),
                        snapshot.firstVisibleLsn(table.schema()),
                        mode,
                        predicate);
    }

    /** As {@code StorageEngine.changes}. */
    public RowCursor changes(
            LeasedSnapshot snapshot,
            TableId tableId,
            int schemaVersion,
            ShardId shard,
            Lsn after,
            Lsn upTo,
            ScanPredicate predicate,
            boolean withBeforeImages)
            throws IOException {
        // Leases may end while changes are read, or last much longer. So they have no part in it,
        // and do not keep the view in memory
        snapshots.hold(tableId, after);
        Readers.Generation reader = snapshots.readers().enter();
        Runnable ended =
                () -> {
                    snapshots.readers().exit(reader);
                    snapshots.release(tableId, after);
                };
        try {
            TableShard table = shards.shard(shard).table(tableId);
            readable(snapshot, tableId);
            snapshots.check(after, table.schema());
            shards.shard(shard).checkServing();
            if (after.compareTo(upTo) > 0 || upTo.compareTo(snapshot.lsn()) > 0) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected changes up to an LSN from %s to %s, found %s"
                                .formatted(
                                        after.withTime(),
                                        snapshot.lsn().withTime(),
                                        upTo.withTime()));
            }
            return ChangeScanCursor.open(
                    files,
                    VersionedRead.view(table, schemaVersion),
                    after.value(),
                    upTo.value(),
                    predicate,
                    withBeforeImages,
                    maxChangesBytes,
                    ended);
        } catch (RuntimeException | Error refused) {
            ended.run();
            throw refused;
        }
    }

    /** As {@code StorageEngine.aggregate}. */
    public AggregateScan aggregate(
            LeasedSnapshot snapshot,
            TableId tableId,
            int schemaVersion,
            ScanPredicate predicate,
            Aggregation aggregation,
            Optional<AggregateCache> cache,
            long maxBytes) {
        TableSchema schema = readable(snapshot, tableId);
        return new AggregatePlanner(shards, files, fileLists)
                .plan(snapshot, schema, schemaVersion, predicate, aggregation, cache, maxBytes);
    }

    /** As {@code StorageEngine.lookUp}. */
    public RowCursor lookUp(
            LeasedSnapshot snapshot,
            TableId tableId,
            int schemaVersion,
            ScanPredicate predicate,
            Optional<LookupKeys> keys)
            throws IOException {
        TableSchema schema = readable(snapshot, tableId);
        return keys.isPresent()
                ? lookups.open(snapshot, schema, schemaVersion, predicate, keys.get())
                : lookups.open(snapshot, schema, schemaVersion, predicate);
    }

    /** As {@code StorageEngine.startLookup}. */
    public PointLookup startLookup(
            TableId tableId, Optional<Lsn> readLsn, List<byte[]> keys, RowRoom room) {
        return new PointLookup(pointReads, snapshots, () -> schema(tableId), readLsn, keys, room);
    }

    /** As {@code StorageEngine.startKeyScan}. */
    public KeyRangeScan startKeyScan(
            TableId tableId,
            int shardIndex,
            Optional<Lsn> readLsn,
            KeyRange range,
            KeyDirection direction,
            KeyRangeLimits limits,
            RowRoom room) {
        return new KeyRangeScan(
                shards,
                snapshots,
                () -> schema(tableId),
                shardIndex,
                readLsn,
                range,
                direction,
                limits,
                room);
    }

    /** As {@code StorageEngine.lookupByIndex(TableId, int, byte[], Optional, int)}. */
    public List<byte[]> lookupByIndex(
            TableId tableId, int indexId, byte[] prefix, Optional<Lsn> readLsn, int limit)
            throws IOException {
        return indexReads.find(schema(tableId), indexId, prefix, readLsn, limit);
    }

    /** As {@code StorageEngine.lookupByIndex(TableId, int, byte[], LeasedSnapshot, int)}. */
    public List<byte[]> lookupByIndex(
            TableId tableId, int indexId, byte[] prefix, LeasedSnapshot snapshot, int limit)
            throws IOException {
        return indexReads.find(readable(snapshot, tableId), indexId, prefix, snapshot, limit);
    }

    /**
     * The table as of a snapshot whose lease has not expired, within the history that the table
     * has.
     *
     * @throws SteleException STALE_TABLE, SNAPSHOT_EXPIRED; INVALID_ARGUMENT when the snapshot is
     *     of other tables
     */
    private TableSchema readable(LeasedSnapshot snapshot, TableId tableId) {
        snapshots.find(snapshot.id());
        if (!snapshot.tables().isEmpty() && !snapshot.tables().contains(tableId)) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a snapshot that was opened for table id %s, found one for table ids %s"
                            .formatted(
                                    tableId.value(),
                                    snapshot.tables().stream().map(TableId::value).toList()));
        }
        TableSchema table = catalog.current().table(tableId, snapshot.lsn());
        snapshots.check(snapshot.lsn(), table);
        return table;
    }

    private TableSchema schema(TableId tableId) {
        return catalog.current().table(tableId);
    }
}
