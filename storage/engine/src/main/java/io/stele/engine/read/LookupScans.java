package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.LookupKeys;
import io.stele.protocol.predicate.IndexCondition;
import io.stele.protocol.predicate.PredicateKeys;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.IndexRouter;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * A factory of row cursors that look up keys instead of scanning, for predicates that bind the
 * primary key or a unique index. If a lookup is no longer possible the table is scanned, so an
 * answer never lacks rows. Safe for use by many threads.
 */
final class LookupScans {
    private final PointReads pointReads;
    private final IndexReads indexReads;
    private final SnapshotRegistry snapshots;
    private final Scanner scanner;

    /** Opens a cursor on one shard, as {@link TableReads#scan}. */
    @FunctionalInterface
    interface Scanner {
        RowCursor scan(
                LeasedSnapshot snapshot,
                TableSchema schema,
                int schemaVersion,
                ShardId shard,
                ScanPredicate predicate)
                throws IOException;
    }

    /**
     * @param scanner scans all rows of a shard
     */
    LookupScans(
            PointReads pointReads,
            IndexReads indexReads,
            SnapshotRegistry snapshots,
            Scanner scanner) {
        this.pointReads = requireNonNull(pointReads, "pointReads is null");
        this.indexReads = requireNonNull(indexReads, "indexReads is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.scanner = requireNonNull(scanner, "scanner is null");
    }

    /**
     * The rows of keys that the reader lists.
     *
     * @param schema the newest version of the table
     * @param schemaVersion of the reader
     * @param predicate other rows are left out
     * @throws SteleException STALE_TABLE if columns were changed, or the index is gone
     */
    RowCursor open(
            LeasedSnapshot snapshot,
            TableSchema schema,
            int schemaVersion,
            ScanPredicate predicate,
            LookupKeys keys)
            throws IOException {
        if (schema.schemaVersion() != schemaVersion) {
            throw stale(
                    schema, "schema version " + schemaVersion, "version " + schema.schemaVersion());
        }
        if (keys.indexId().isEmpty() || keys.keys().isEmpty()) {
            KeyEncoder encoder = KeyEncoder.forPrimaryKey(schema);
            keys.keys().forEach(key -> encoder.validate(key, 0, key.length));
            return byKey(snapshot, schema, keys.keys(), predicate);
        }
        int indexId = keys.indexId().getAsInt();
        IndexSchema index =
                schema.options().indexes().stream()
                        .filter(one -> one.id() == indexId && one.ready() && one.unique())
                        .findFirst()
                        .orElseThrow(
                                () -> stale(schema, "a unique index with id " + indexId, "none"));
        return byIndex(snapshot, schema, new IndexCondition(index, keys.keys()), predicate);
    }

    private static SteleException stale(TableSchema schema, String expected, String found) {
        return new SteleException(
                ErrorCode.STALE_TABLE,
                "Expected %s of table %s, found %s: begin again"
                        .formatted(expected, schema.qualifiedName(), found));
    }

    private RowCursor byKey(
            LeasedSnapshot snapshot,
            TableSchema schema,
            List<byte[]> keys,
            ScanPredicate predicate) {
        return new KeyCursor(
                pointReads.start(schema, keys, snapshot),
                () -> snapshots.find(snapshot.id()),
                predicate);
    }

    /**
     * The rows of keys that the predicate lists.
     *
     * @param schema the newest version of the table
     * @param schemaVersion of the reader
     */
    RowCursor open(
            LeasedSnapshot snapshot, TableSchema schema, int schemaVersion, ScanPredicate predicate)
            throws IOException {
        if (schema.schemaVersion() == schemaVersion) {
            Optional<List<byte[]>> keys = PredicateKeys.ofPrimaryKey(schema, predicate);
            if (keys.isPresent()) {
                return byKey(snapshot, schema, keys.get(), predicate);
            }
            Optional<IndexCondition> unique = IndexCondition.ofUnique(schema, predicate);
            if (unique.isPresent() && !unique.get().keys().isEmpty()) {
                return byIndex(snapshot, schema, unique.get(), predicate);
            }
        }
        List<NonBlocking.Read<RowCursor>> openers = new ArrayList<>();
        for (ShardId shard : schema.shards()) {
            openers.add(() -> scanner.scan(snapshot, schema, schemaVersion, shard, predicate));
        }
        return new ChainedCursor(openers);
    }

    private RowCursor byIndex(
            LeasedSnapshot snapshot,
            TableSchema schema,
            IndexCondition condition,
            ScanPredicate predicate)
            throws IOException {
        List<ShardId> shards = new ArrayList<>();
        List<NonBlocking.Read<Optional<RowCursor>>> reads = new ArrayList<>();
        byShard(schema, condition)
                .forEach(
                        (shard, keys) -> {
                            IndexCondition some = new IndexCondition(condition.index(), keys);
                            shards.add(shard);
                            reads.add(
                                    () ->
                                            indexReads.scan(
                                                    schema, shard, some, predicate, snapshot));
                        });
        // If waiting is allowed, all at once: there are no more rows than keys
        if (!NonBlocking.isActive()) {
            List<Optional<RowCursor>> found = indexReads.sideBySide(List.copyOf(reads));
            reads.clear();
            found.forEach(rows -> reads.add(() -> rows));
        }
        List<NonBlocking.Read<RowCursor>> openers = new ArrayList<>();
        for (int i = 0; i < shards.size(); i++) {
            ShardId shard = shards.get(i);
            NonBlocking.Read<Optional<RowCursor>> read = reads.get(i);
            openers.add(
                    () -> {
                        Optional<RowCursor> rows = read.read();
                        return rows.isPresent()
                                ? rows.get()
                                : scanner.scan(
                                        snapshot, schema, schema.schemaVersion(), shard, predicate);
                    });
        }
        return new ChainedCursor(openers);
    }

    /** The keys that each shard may have; a key that names no shard may be in any. */
    private static Map<ShardId, List<byte[]>> byShard(
            TableSchema schema, IndexCondition condition) {
        IndexRouter router = new IndexRouter(schema, condition.index());
        Map<ShardId, List<byte[]>> shards = new TreeMap<>();
        for (byte[] key : condition.keys()) {
            OptionalInt only = router.shardOf(key);
            for (ShardId shard :
                    only.isPresent() ? List.of(schema.shard(only.getAsInt())) : schema.shards()) {
                shards.computeIfAbsent(shard, _ -> new ArrayList<>()).add(key);
            }
        }
        return shards;
    }
}
