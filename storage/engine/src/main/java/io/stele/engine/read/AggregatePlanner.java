package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.aggregate.AggregateCache;
import io.stele.engine.aggregate.AggregateScan;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.PartitionMatcher;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.node.Shards;
import io.stele.engine.scan.ShardScanner;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.ShardId;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import java.util.Comparator;
import java.util.Optional;

/**
 * The planner of aggregations at a snapshot: it selects the column files, SST files and memtable
 * versions that have to be read.
 */
final class AggregatePlanner {
    private final Shards shards;
    private final TableFiles files;
    private final FileListCache fileLists;

    AggregatePlanner(Shards shards, TableFiles files, FileListCache fileLists) {
        this.fileLists = requireNonNull(fileLists, "fileLists is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * Plans column files if the table has them, else merged SST files, and the rows in memory.
     *
     * @param schemaVersion of predicate and aggregation
     * @param cache of results of files; empty: everything is computed
     * @param maxBytes as in {@code StorageEngine.aggregate}
     */
    AggregateScan plan(
            LeasedSnapshot snapshot,
            TableSchema schema,
            int schemaVersion,
            ScanPredicate predicate,
            Aggregation aggregation,
            Optional<AggregateCache> cache,
            long maxBytes) {
        long fromLsn = snapshot.firstVisibleLsn(schema);
        PartitionMatcher partitions = new PartitionMatcher(schema, predicate);
        AggregateScan scan = null;
        for (ShardId id : schema.shards()) {
            TableView view = VersionedRead.view(snapshot, shards, schema, id, schemaVersion);
            if (scan == null) { // the columns are those of the view's version
                scan =
                        new AggregateScan(
                                files,
                                view.schema(),
                                aggregation,
                                predicate,
                                snapshot.lsn().value(),
                                fromLsn,
                                cache,
                                maxBytes);
            }
            addShard(scan, id, view, snapshot, fromLsn, predicate, partitions);
        }
        return requireNonNull(scan, "a table has shards");
    }

    private void addShard(
            AggregateScan scan,
            ShardId id,
            TableView view,
            LeasedSnapshot snapshot,
            long fromLsn,
            ScanPredicate predicate,
            PartitionMatcher partitions) {
        boolean hasColumns = view.schema().orientation().hasColumns();
        if (hasColumns) {
            fileLists
                    .select(view.versions(), id, view.columnFiles(), partitions, predicate)
                    .stream()
                    .filter(file -> partitions.matches(file.entry()))
                    .sorted(Comparator.comparing((ColumnFile file) -> file.entry().path()))
                    .forEach(file -> scan.addFile(view, file));
        }
        boolean hasRows = view.memoryVersions() > 0 || (!hasColumns && !view.sstFiles().isEmpty());
        if (hasRows) {
            ScanMode mode = hasColumns ? ScanMode.LIVE : ScanMode.SNAPSHOT;
            scan.addRows(
                    view,
                    () ->
                            new ShardScanner(files)
                                    .scan(view, snapshot.lsn(), fromLsn, mode, predicate));
        }
    }
}
