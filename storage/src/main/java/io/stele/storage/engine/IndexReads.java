package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.IndexRouter;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.scan.IndexLookup;
import io.stele.storage.scan.IndexLookup.FoundRow;
import io.stele.storage.shard.TableGroupShard;
import io.stele.storage.tablet.IndexView;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableShard;
import io.stele.storage.tablet.TableView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** Lookups by secondary index over the shards of a table. Safe for use by many threads. */
final class IndexReads {
    /** Most rows of one lookup: what is found is held in memory. */
    static final int MAX_LIMIT = 100_000;

    private final Shards shards;
    private final TableFiles files;
    private final ReadPoints readPoints;

    IndexReads(Shards shards, TableFiles files, ReadPoints readPoints) {
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
        this.readPoints = requireNonNull(readPoints, "readPoints is null");
    }

    /** The rows at a read point. */
    List<byte[]> find(
            TableSchema schema, int indexId, byte[] prefix, ReadPoint readPoint, int limit)
            throws IOException {
        readPoints.find(readPoint.id());
        readPoints.check(readPoint.lsn(), schema);
        return find(
                schema,
                indexId,
                prefix,
                limit,
                table ->
                        new Snapshot(
                                readPoint.view(schema.id(), table.shard(), table::view),
                                readPoint.lsn().value()));
    }

    /** The rows as of an LSN; without one, what is applied in each shard now. */
    List<byte[]> find(
            TableSchema schema, int indexId, byte[] prefix, Optional<Lsn> readLsn, int limit)
            throws IOException {
        Readers.Generation reader = readPoints.readers().enter();
        try {
            if (readLsn.isEmpty()) {
                return findLatest(schema, indexId, prefix, limit);
            }
            long lsn = readLsn.get().value();
            List<byte[]> rows =
                    find(schema, indexId, prefix, limit, table -> new Snapshot(table.view(), lsn));
            readPoints.check(readLsn.get(), schema); // what was dropped meanwhile may be missing
            return rows;
        } finally {
            readPoints.readers().exit(reader);
        }
    }

    private List<byte[]> findLatest(TableSchema schema, int indexId, byte[] prefix, int limit)
            throws IOException {
        Map<ShardId, Lsn> read = new HashMap<>();
        List<byte[]> rows =
                find(
                        schema,
                        indexId,
                        prefix,
                        limit,
                        table -> {
                            // First the LSN: the view may have more, and must not have less.
                            Lsn applied = shards.shard(table.shard()).appliedLsn();
                            read.put(table.shard(), applied);
                            return new Snapshot(table.view(), applied.value());
                        });
        Lsn horizon = readPoints.horizon(schema);
        for (Map.Entry<ShardId, Lsn> at : read.entrySet()) {
            boolean changed = !shards.shard(at.getKey()).appliedLsn().equals(at.getValue());
            if (changed && at.getValue().compareTo(horizon) < 0) {
                // Slower than the retention: the newest of each row is all that is sure to be
                // there.
                return find(
                        schema,
                        indexId,
                        prefix,
                        limit,
                        table -> new Snapshot(table.view(), Long.MAX_VALUE));
            }
        }
        return rows;
    }

    private List<byte[]> find(
            TableSchema schema,
            int indexId,
            byte[] prefix,
            int limit,
            Function<TableShard, Snapshot> snapshots)
            throws IOException {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a limit of 1 to " + MAX_LIMIT + " rows, found " + limit);
        }
        IndexSchema index = index(schema, indexId);
        OptionalInt only = new IndexRouter(schema, index).shardOf(prefix);
        List<FoundRow> found = new ArrayList<>();
        for (ShardId id :
                only.isPresent() ? List.of(schema.shard(only.getAsInt())) : schema.shards()) {
            TableGroupShard shard = shards.shard(id);
            shard.checkServing();
            TableShard table = shard.table(schema.id());
            Snapshot snapshot = snapshots.apply(table);
            found.addAll(find(table, index, prefix, limit, snapshot));
        }
        if (only.isEmpty()) {
            found.sort((one, other) -> Arrays.compareUnsigned(one.entry(), other.entry()));
        }
        return found.stream().limit(limit).map(FoundRow::row).toList();
    }

    private List<FoundRow> find(
            TableShard table, IndexSchema index, byte[] prefix, int limit, Snapshot snapshot)
            throws IOException {
        IndexView view =
                snapshot.view()
                        .index(index.id())
                        .filter(IndexView::complete)
                        .orElseThrow(() -> notReady(table.schema(), index));
        return new IndexLookup(table.schema(), table.layout(), files)
                .find(snapshot.view(), view, prefix, snapshot.lsn(), limit);
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

    /** A table in one shard as of an LSN. */
    private record Snapshot(TableView view, long lsn) {}
}
