package io.stele.engine;

import static java.util.Objects.requireNonNull;

import io.stele.engine.aggregate.AggregateScan;
import io.stele.engine.aggregate.FragmentCache;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.scan.ChangesCursor;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.scan.ShardScanner;
import io.stele.engine.tablet.TableFiles;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.KnownPlan;
import io.stele.protocol.api.LookupKeys;
import io.stele.protocol.api.ScanMode;
import io.stele.protocol.api.ScanPlan;
import io.stele.protocol.api.TablePlan;
import io.stele.protocol.predicate.IndexCondition;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The reads of tables: plans and scans at snapshots, lookups by key and by index. Safe for use by
 * many threads.
 */
final class TableReads {
    private final CatalogService catalog;
    private final Shards shards;
    private final TableFiles files;
    private final ReadPoints readPoints;
    private final PointReads pointReads;
    private final IndexReads indexReads;
    private final LookupScans lookups;
    private final ScanPlanner planner;
    private final TablePlans tablePlans;
    private final FileLists fileLists;
    private final long maxChangesBytes;

    TableReads(
            CatalogService catalog,
            Shards shards,
            TableFiles files,
            ReadPoints readPoints,
            FileLists fileLists,
            long maxChangesBytes) {
        this.fileLists = requireNonNull(fileLists, "fileLists is null");
        this.maxChangesBytes = maxChangesBytes;
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
        this.readPoints = requireNonNull(readPoints, "readPoints is null");
        this.pointReads = new PointReads(shards, files, readPoints);
        this.indexReads = new IndexReads(shards, files, readPoints);
        this.planner = new ScanPlanner(shards, indexReads, fileLists, files);
        this.tablePlans = new TablePlans(shards, planner);
        this.lookups = new LookupScans(pointReads, indexReads, readPoints, this::scanAll);
    }

    /** As {@link StorageEngine#plan(ReadPoint, TableId, int, ScanPredicate)}. */
    ScanPlan plan(
            ReadPoint readPoint, TableId tableId, int schemaVersion, ScanPredicate predicate) {
        TableSchema schema = readable(readPoint, tableId);
        return planner.plan(readPoint, schema, schemaVersion, predicate);
    }

    /** As {@link StorageEngine#tablePlan}. */
    TablePlan tablePlan(ReadPoint readPoint, KnownPlan known) {
        TableSchema schema = readable(readPoint, known.tableId());
        return tablePlans.tell(readPoint, schema, known);
    }

    /** As {@link StorageEngine#planLookups(ReadPoint, TableId, int, ScanPredicate)}. */
    ScanPlan planLookups(
            ReadPoint readPoint, TableId tableId, int schemaVersion, ScanPredicate predicate)
            throws IOException {
        TableSchema schema = readable(readPoint, tableId);
        return planner.planLookups(readPoint, schema, schemaVersion, predicate);
    }

    /** As the method of {@link StorageEngine}. */
    RowCursor scan(
            ReadPoint readPoint,
            TableId tableId,
            int schemaVersion,
            ShardId shard,
            ScanMode mode,
            ScanPredicate predicate)
            throws IOException {
        TableShard table = shards.shard(shard).table(tableId);
        readable(readPoint, tableId);
        shards.shard(shard).checkServing();
        if (mode == ScanMode.LOOKUP) {
            TableSchema schema = readable(readPoint, tableId);
            Optional<IndexCondition> condition = IndexCondition.of(schema, predicate);
            if (condition.isPresent() && schema.schemaVersion() == schemaVersion) {
                Optional<RowCursor> found =
                        indexReads.scan(schema, shard, condition.get(), predicate, readPoint);
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        return scan(readPoint, table, schemaVersion, shard, mode, predicate);
    }

    private RowCursor scanAll(
            ReadPoint readPoint,
            TableSchema schema,
            int schemaVersion,
            ShardId shard,
            ScanPredicate predicate)
            throws IOException {
        shards.shard(shard).checkServing();
        TableShard table = shards.shard(shard).table(schema.id());
        return scan(readPoint, table, schemaVersion, shard, ScanMode.SNAPSHOT, predicate);
    }

    private RowCursor scan(
            ReadPoint readPoint,
            TableShard table,
            int schemaVersion,
            ShardId shard,
            ScanMode mode,
            ScanPredicate predicate)
            throws IOException {
        return new ShardScanner(files)
                .scan(
                        VersionedRead.view(readPoint, table, shard, schemaVersion),
                        readPoint.lsn(),
                        readPoint.firstVisibleLsn(table.schema()),
                        mode,
                        predicate);
    }

    /** As {@link StorageEngine#changes}. */
    RowCursor changes(
            ReadPoint readPoint,
            TableId tableId,
            int schemaVersion,
            ShardId shard,
            Lsn after,
            Lsn upTo,
            ScanPredicate predicate)
            throws IOException {
        TableShard table = shards.shard(shard).table(tableId);
        readable(readPoint, tableId);
        readPoints.check(after, table.schema());
        shards.shard(shard).checkServing();
        if (after.compareTo(upTo) > 0 || upTo.compareTo(readPoint.lsn()) > 0) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected changes up to an LSN from %s to %s, found %s"
                            .formatted(
                                    after.withTime(), readPoint.lsn().withTime(), upTo.withTime()));
        }
        return ChangesCursor.open(
                files,
                VersionedRead.view(readPoint, table, shard, schemaVersion),
                after.value(),
                upTo.value(),
                predicate,
                maxChangesBytes);
    }

    /** As {@link StorageEngine#aggregate}. */
    AggregateScan aggregate(
            ReadPoint readPoint,
            TableId tableId,
            int schemaVersion,
            ScanPredicate predicate,
            Aggregation aggregation,
            Optional<FragmentCache> cache,
            long maxBytes) {
        TableSchema schema = readable(readPoint, tableId);
        return new AggregatePlanner(shards, files, fileLists)
                .plan(readPoint, schema, schemaVersion, predicate, aggregation, cache, maxBytes);
    }

    /** As {@link StorageEngine#lookUp}. */
    RowCursor lookUp(
            ReadPoint readPoint,
            TableId tableId,
            int schemaVersion,
            ScanPredicate predicate,
            Optional<LookupKeys> keys)
            throws IOException {
        TableSchema schema = readable(readPoint, tableId);
        return keys.isPresent()
                ? lookups.open(readPoint, schema, schemaVersion, predicate, keys.get())
                : lookups.open(readPoint, schema, schemaVersion, predicate);
    }

    /** As {@link StorageEngine#startLookup}. */
    PointLookup startLookup(TableId tableId, Optional<Lsn> readLsn, List<byte[]> keys) {
        return new PointLookup(pointReads, readPoints, () -> schema(tableId), readLsn, keys);
    }

    /** As {@link StorageEngine#lookupByIndex(TableId, int, byte[], Optional, int)}. */
    List<byte[]> lookupByIndex(
            TableId tableId, int indexId, byte[] prefix, Optional<Lsn> readLsn, int limit)
            throws IOException {
        return indexReads.find(schema(tableId), indexId, prefix, readLsn, limit);
    }

    /** As {@link StorageEngine#lookupByIndex(TableId, int, byte[], ReadPoint, int)}. */
    List<byte[]> lookupByIndex(
            TableId tableId, int indexId, byte[] prefix, ReadPoint readPoint, int limit)
            throws IOException {
        return indexReads.find(readable(readPoint, tableId), indexId, prefix, readPoint, limit);
    }

    /**
     * The table as of a snapshot whose lease has not expired, within the history that the table
     * has.
     *
     * @throws SteleException STALE_TABLE, READ_POINT_EXPIRED
     */
    private TableSchema readable(ReadPoint readPoint, TableId tableId) {
        readPoints.find(readPoint.id());
        TableSchema table = catalog.current().table(tableId, readPoint.lsn());
        readPoints.check(readPoint.lsn(), table);
        return table;
    }

    private TableSchema schema(TableId tableId) {
        return catalog.current().table(tableId);
    }
}
