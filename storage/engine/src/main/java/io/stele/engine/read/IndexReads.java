package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexView;
import io.stele.engine.node.Shards;
import io.stele.engine.scan.FoundRows;
import io.stele.engine.scan.IndexLookup;
import io.stele.engine.scan.IndexLookup.FoundRow;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.snapshot.Readers;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.IndexCondition;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.IndexRouter;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The reader of rows by secondary index, over all shards of a table, for lookups and for scans that
 * an index can serve. Safe for use by many threads.
 */
public final class IndexReads {
    /** Most rows of one lookup, which are held in memory. */
    static final int MAX_LIMIT = 100_000;

    /**
     * Most rows that a scan of a shard gets from an index: each costs a lookup by key, some
     * microseconds, while files return millions of rows a second.
     */
    public static final int MAX_SCANNED = 10_000;

    /** Most rows of a scan that are looked up on a shared thread: half a millisecond. */
    private static final int MAX_NON_BLOCKING = 100;

    /** Shards at a time. Each may hold 32 MiB of blocks, and 64 MiB of rows. */
    private static final int SHARDS_AT_ONCE = 4;

    private final Shards shards;
    private final TableFiles files;
    private final SnapshotRegistry snapshots;

    IndexReads(Shards shards, TableFiles files, SnapshotRegistry snapshots) {
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
    }

    /**
     * The rows at a snapshot. Its lease retains the history. The files may be newer than the files
     * of its scans, so an index that became ready meanwhile can be used too.
     */
    List<byte[]> find(
            TableSchema schema, int indexId, byte[] prefix, LeasedSnapshot snapshot, int limit)
            throws IOException {
        snapshots.find(snapshot.id());
        snapshots.check(snapshot.lsn(), schema);
        List<byte[]> rows =
                find(
                        schema,
                        indexId,
                        prefix,
                        limit,
                        snapshot.firstVisibleLsn(schema),
                        (shard, lookup) -> lookup.find(snapshot.lsn().value()));
        snapshots.find(snapshot.id()); // a lease that ended meanwhile may have lost history
        return rows;
    }

    /** The rows as of an LSN; without one, as of the state that each shard has applied now. */
    List<byte[]> find(
            TableSchema schema, int indexId, byte[] prefix, Optional<Lsn> readLsn, int limit)
            throws IOException {
        if (readLsn.isEmpty()) {
            return find(
                    schema,
                    indexId,
                    prefix,
                    limit,
                    snapshots.firstVisibleLsn(schema, Long.MAX_VALUE),
                    (shard, lookup) -> findLatest(schema, shard, lookup));
        }
        long lsn = readLsn.get().value();
        List<byte[]> rows =
                find(
                        schema,
                        indexId,
                        prefix,
                        limit,
                        snapshots.firstVisibleLsn(schema, lsn),
                        (shard, lookup) -> lookup.find(lsn));
        snapshots.check(readLsn.get(), schema); // what was dropped meanwhile may be missing
        return rows;
    }

    /**
     * The greatest number of rows of a shard that a scan may get from an index; empty: too many for
     * the index to be useful, or the shard's index is not complete.
     */
    OptionalLong count(TableSchema schema, ShardId id, IndexCondition condition, Lsn lsn)
            throws IOException {
        Readers.Generation reader = snapshots.readers().enter();
        try {
            Optional<IndexView> index =
                    index(shards.shard(id).table(schema.id()).view(), condition);
            if (index.isEmpty()) {
                return OptionalLong.empty();
            }
            long count =
                    new IndexLookup(files)
                            .count(index.get(), condition.keys(), lsn.value(), MAX_SCANNED + 1);
            return count > MAX_SCANNED ? OptionalLong.empty() : OptionalLong.of(count);
        } finally {
            snapshots.readers().exit(reader);
        }
    }

    /** The rows that {@link #count} counted; empty: the caller must scan. */
    Optional<RowCursor> scan(
            TableSchema schema,
            ShardId id,
            IndexCondition condition,
            ScanPredicate predicate,
            LeasedSnapshot snapshot)
            throws IOException {
        Readers.Generation reader = snapshots.readers().enter();
        try {
            TableShard table = shards.shard(id).table(schema.id());
            TableView view = table.view();
            Optional<IndexView> index = index(view, condition);
            if (index.isEmpty() || view.versions().schemaVersion() != schema.schemaVersion()) {
                return Optional.empty();
            }
            int limit = NonBlocking.isActive() ? MAX_NON_BLOCKING : MAX_SCANNED;
            List<FoundRow> found =
                    new IndexLookup(files)
                            .find(
                                    view,
                                    index.get(),
                                    condition.keys(),
                                    snapshot.lsn().value(),
                                    snapshot.firstVisibleLsn(schema),
                                    limit + 1);
            if (found.size() > limit) {
                NonBlocking.check(); // throws: the caller continues on another thread
                return Optional.empty();
            }
            snapshots.find(snapshot.id()); // a lease that ended may have lost history
            return Optional.of(new FoundRows(found, view.versions(), predicate));
        } finally {
            snapshots.readers().exit(reader);
        }
    }

    /** As {@link #count}, of several shards. */
    List<OptionalLong> counts(
            TableSchema schema, List<ShardId> ids, IndexCondition condition, Lsn lsn)
            throws IOException {
        return sideBySide(
                ids.stream()
                        .<NonBlocking.Read<OptionalLong>>map(
                                id -> () -> count(schema, id, condition, lsn))
                        .toList());
    }

    /**
     * The results of reads of several shards, in their order; in parallel where waiting is allowed.
     */
    <T> List<T> sideBySide(List<NonBlocking.Read<T>> reads) throws IOException {
        List<T> found = new ArrayList<>(reads.size());
        if (NonBlocking.isActive()) {
            for (NonBlocking.Read<T> read : reads) {
                found.add(read.read());
            }
            return found;
        }
        for (int first = 0; first < reads.size(); first += SHARDS_AT_ONCE) {
            int end = Math.min(reads.size(), first + SHARDS_AT_ONCE);
            found.addAll(atOnce(reads.subList(first, end)));
        }
        return found;
    }

    private <T> List<T> atOnce(List<NonBlocking.Read<T>> reads) throws IOException {
        AtomicReferenceArray<T> results = new AtomicReferenceArray<>(reads.size());
        List<ParallelReads.Read> parts = new ArrayList<>(reads.size());
        for (int i = 0; i < reads.size(); i++) {
            int number = i;
            parts.add(() -> results.set(number, reads.get(number).read()));
        }
        files.parallelReads().runAll(parts);
        List<T> found = new ArrayList<>(reads.size());
        for (int i = 0; i < reads.size(); i++) {
            found.add(requireNonNull(results.get(i), "a read without a result"));
        }
        return found;
    }

    private static Optional<IndexView> index(TableView view, IndexCondition condition) {
        return view.index(condition.index().id()).filter(IndexView::complete);
    }

    private List<FoundRow> findLatest(TableSchema schema, TableGroupShard shard, ShardLookup lookup)
            throws IOException {
        while (true) {
            long present = shard.appliedLsn().value();
            List<FoundRow> found = lookup.find(present);
            // Old versions are dropped when their history ends. If that happened during the search,
            // and the shard applied more, a row of the present may have been dropped.
            if (shard.appliedLsn().value() <= present
                    || snapshots.passedLsn(schema.id()) <= present) {
                return found;
            }
        }
    }

    private List<byte[]> find(
            TableSchema schema, int indexId, byte[] prefix, int limit, long fromLsn, ShardRead read)
            throws IOException {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a limit of 1 to " + MAX_LIMIT + " rows, found " + limit);
        }
        IndexSchema index = index(schema, indexId);
        OptionalInt only = new IndexRouter(schema, index).shardOf(prefix);
        List<FoundRow> found = new ArrayList<>();
        Readers.Generation reader = snapshots.readers().enter();
        try {
            List<NonBlocking.Read<List<FoundRow>>> reads = new ArrayList<>();
            for (ShardId id :
                    only.isPresent() ? List.of(schema.shard(only.getAsInt())) : schema.shards()) {
                TableGroupShard shard = shards.shard(id);
                shard.checkServing();
                TableShard table = shard.table(schema.id());
                reads.add(
                        () ->
                                read.find(
                                        shard,
                                        lsn ->
                                                find(
                                                        schema, table, index, prefix, limit, lsn,
                                                        fromLsn)));
            }
            sideBySide(reads).forEach(found::addAll);
        } finally {
            snapshots.readers().exit(reader);
        }
        if (only.isEmpty()) {
            found.sort((one, other) -> Arrays.compareUnsigned(one.entry(), other.entry()));
        }
        return found.stream().limit(limit).map(FoundRow::row).toList();
    }

    private List<FoundRow> find(
            TableSchema schema,
            TableShard table,
            IndexSchema index,
            byte[] prefix,
            int limit,
            long lsn,
            long fromLsn)
            throws IOException {
        TableView view = table.view();
        IndexView entries =
                view.index(index.id())
                        .filter(IndexView::complete)
                        .orElseThrow(() -> notReady(schema, index));
        RowMapping mapping = VersionedRead.mapping(table, view.versions(), schema);
        List<FoundRow> found =
                new IndexLookup(files).find(view, entries, List.of(prefix), lsn, fromLsn, limit);
        if (mapping.isSameBytes()) {
            return found;
        }
        RowMapping.Mapper mapper = mapping.mapper();
        return found.stream()
                .map(row -> new FoundRow(row.entry(), mapper.map(row.row()), row.lsn()))
                .toList();
    }

    /** Chooses at which LSN to look into a shard. */
    @FunctionalInterface
    private interface ShardRead {
        List<FoundRow> find(TableGroupShard shard, ShardLookup lookup) throws IOException;
    }

    /** Looks into one shard, as it is now, at an LSN. */
    @FunctionalInterface
    private interface ShardLookup {
        List<FoundRow> find(long lsn) throws IOException;
    }

    private static IndexSchema index(TableSchema schema, int indexId) {
        IndexSchema index =
                schema.options().indexes().stream()
                        .filter(candidate -> candidate.id() == indexId)
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new SteleException(
                                                ErrorCode.STALE_TABLE,
                                                "Expected an index of table %s, found id %d, which it has not"
                                                        .formatted(
                                                                schema.qualifiedName(), indexId)));
        if (!index.ready()) {
            throw notReady(schema, index);
        }
        return index;
    }

    private static SteleException notReady(TableSchema schema, IndexSchema index) {
        return new SteleException(
                ErrorCode.UNAVAILABLE,
                "Expected index '%s' of table %s to be ready, found it being built"
                        .formatted(index.name(), schema.qualifiedName()));
    }
}
