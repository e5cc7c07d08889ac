package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.node.Shards;
import io.stele.engine.row.RowCache;
import io.stele.engine.row.RowCache.Row;
import io.stele.engine.row.TableVersions;
import io.stele.engine.scan.KeyLookup;
import io.stele.engine.scan.KeyPrefetch;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.snapshot.Readers;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.XxHash64;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The reader of rows by primary key over all shards, from the row cache, or else from memtables and
 * files.
 *
 * <p>Several keys are looked up by shard and in key order, so that keys of one block follow each
 * other. Safe for use by many threads.
 */
final class PointReads {
    /** 16 MiB of rows, after which one call ends. */
    private static final long FETCHED_BYTES = 16 << 20;

    private final Shards shards;
    private final TableFiles files;
    private final SnapshotRegistry snapshots;

    PointReads(Shards shards, TableFiles files, SnapshotRegistry snapshots) {
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
    }

    /**
     * Looks for the rows of keys as of {@code lsn}; nothing is read yet.
     *
     * @param schema the version that the rows have; STALE_TABLE if its columns were changed since
     * @param lsn {@code Long.MAX_VALUE}: the latest
     */
    Batch start(TableSchema schema, List<byte[]> keys, long lsn) {
        return start(schema, keys, lsn, OptionalLong.empty());
    }

    /**
     * Looks for the rows of keys at a snapshot, which also determines the LSN below which rows have
     * expired.
     */
    Batch start(TableSchema schema, List<byte[]> keys, LeasedSnapshot snapshot) {
        return start(
                schema,
                keys,
                snapshot.lsn().value(),
                OptionalLong.of(snapshot.firstVisibleLsn(schema)));
    }

    private Batch start(TableSchema schema, List<byte[]> keys, long lsn, OptionalLong fromLsn) {
        KeyRouter router = new KeyRouter(schema);
        Probe[] probes = new Probe[keys.size()];
        for (int i = 0; i < probes.length; i++) {
            probes[i] = probe(router, keys.get(i), i);
        }
        Arrays.sort(probes);
        return new Batch(probes, schema, lsn, fromLsn);
    }

    /** A receiver of the found rows. */
    @FunctionalInterface
    interface Finder {
        /**
         * A row that was found.
         *
         * @param index of the key among the requested ones
         * @param bytes shared, not to be changed
         * @param lsn of its version
         */
        void found(int index, byte[] bytes, long lsn);

        /** Whether the row of this key is still requested. */
        default boolean isWanted(int index) {
            return true;
        }
    }

    /** The keys of one call. Confined to one thread at a time. */
    final class Batch {
        private final TableSchema schema;
        private final Probe[] probes;
        private final long lsn;
        private final OptionalLong fromLsn;
        private int next;
        private KeyLookup fetched;
        private int fetchedEnd; // behind the last key whose blocks are in memory

        private Batch(Probe[] probes, TableSchema schema, long lsn, OptionalLong fromLsn) {
            this.fetched = new KeyLookup(files);
            this.schema = schema;
            this.lsn = lsn;
            this.fromLsn = fromLsn;
            this.probes = probes;
        }

        TableSchema schema() {
            return schema;
        }

        /**
         * Reads at most {@code maxKeys} more keys, fewer where their rows are large; true when all
         * are read. A key that fails is not passed to the finder, and is the next one again.
         */
        boolean advance(int maxKeys, Finder finder) throws IOException {
            Readers.Generation reader = snapshots.readers().enter();
            try {
                int end = (int) Math.min(probes.length, next + (long) maxKeys);
                long from = fromLsn.orElseGet(() -> snapshots.firstVisibleLsn(schema, lsn));
                KeyLookup lookup = fetched;
                if (next < fetchedEnd) {
                    end = Math.min(end, fetchedEnd);
                } else if (KeyPrefetch.isUseful(files, schema, probes.length - next)) {
                    if (NonBlocking.isActive()) {
                        lookup = lookup.withoutSeeks();
                    } else {
                        fetched = fetch(end, from, finder);
                        fetchedEnd = end;
                        lookup = fetched;
                    }
                }
                Reads reads = new Reads(schema, lsn, from, lookup);
                long found = 0;
                for (; next < end && found < FETCHED_BYTES; next++) {
                    if (!finder.isWanted(probes[next].index())) {
                        continue;
                    }
                    Row row = reads.read(probes[next]);
                    byte[] bytes = row.bytes();
                    if (bytes != null) {
                        finder.found(probes[next].index(), bytes, row.lsn());
                        found += bytes.length;
                    }
                }
                if (next == fetchedEnd) {
                    fetched = new KeyLookup(files); // frees what it holds
                }
                return next == probes.length;
            } finally {
                snapshots.readers().exit(reader);
            }
        }

        /**
         * The number of keys to read at once if that waits for the store: as many as it reads
         * together, and no more than fit into memory.
         */
        int keysARead() {
            if (!KeyPrefetch.isUseful(files, schema, probes.length - next)
                    || next == probes.length) {
                return KeyPrefetch.MIN_KEYS;
            }
            return KeyPrefetch.keysAFetch(table(probes[next]).view());
        }

        /**
         * A lookup that has in memory all blocks for the keys up to {@code end}; blocks on the
         * store.
         */
        private KeyLookup fetch(int end, long from, Finder finder) throws IOException {
            KeyPrefetch prefetch = new KeyPrefetch(files);
            for (int i = next; i < end; i++) {
                Probe probe = probes[i];
                if (!finder.isWanted(probe.index())) {
                    continue;
                }
                TableShard table = table(probe);
                RowCache.Key cached = table.rowCache().key(probe.key(), probe.hash());
                if (cached == null || table.rowCache().find(cached, lsn) == null) {
                    prefetch.add(table.view(), probe.key(), probe.hash(), lsn(probe), from);
                }
            }
            return new KeyLookup(files, prefetch.fetch());
        }

        private TableShard table(Probe probe) {
            return shard(probe).table(schema.id());
        }

        private TableGroupShard shard(Probe probe) {
            TableGroupShard in = shards.shard(schema.shard(probe.shard()));
            in.checkServing();
            return in;
        }

        /** The LSN as of which {@link Reads#load} reads. */
        private long lsn(Probe probe) {
            return lsn != Long.MAX_VALUE || schema.orientation().hasRows()
                    ? lsn
                    : shard(probe).appliedLsn().value();
        }
    }

    private static Probe probe(KeyRouter router, byte[] key, int index) {
        long hash = XxHash64.hash(key, 0, key.length);
        return new Probe(index, router.shardOf(key, hash), key, hash);
    }

    /**
     * A key to look up.
     *
     * @param index its place among the requested ones
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared by equals
    private record Probe(int index, int shard, byte[] key, long hash) implements Comparable<Probe> {
        @Override
        public int compareTo(Probe other) {
            return shard != other.shard
                    ? Integer.compare(shard, other.shard)
                    : Arrays.compareUnsigned(key, other.key);
        }
    }

    /** Some reads of one call. Confined to one thread. */
    private final class Reads {
        private final TableSchema schema;
        private final KeyLookup lookup;
        private final long lsn;
        private final long fromLsn;
        private int shardIndex = -1;
        private @Nullable TableGroupShard shard;

        private Reads(TableSchema schema, long lsn, long fromLsn, KeyLookup lookup) {
            this.schema = schema;
            this.lookup = lookup;
            this.lsn = lsn;
            this.fromLsn = fromLsn;
        }

        Row read(Probe probe) throws IOException {
            TableGroupShard present = shard;
            if (present == null || probe.shard() != shardIndex) {
                present = shards.shard(schema.shard(probe.shard()));
                present.checkServing();
                shard = present;
                shardIndex = probe.shard();
            }
            return read(present, present.table(schema.id()), probe);
        }

        // The version of the view only rises. If two reads of it are equal, everything read in
        // between had that version, also rows from the row cache.
        private Row read(TableGroupShard in, TableShard table, Probe probe) throws IOException {
            while (true) {
                TableVersions versions = table.view().versions();
                Row row = find(in, table, probe);
                if (table.view().versions().schemaVersion() == versions.schemaVersion()) {
                    RowMapping mapping = VersionedRead.mapping(table, versions, schema);
                    byte[] bytes = row.bytes();
                    return bytes == null || mapping.isSameBytes()
                            ? row
                            : new Row(mapping.mapper().map(bytes), row.lsn(), row.fromLsn());
                }
            }
        }

        private Row find(TableGroupShard in, TableShard table, Probe probe) throws IOException {
            RowCache.Slice cache = table.rowCache();
            RowCache.Key key = cache.key(probe.key(), probe.hash());
            if (key == null) {
                if (cache.isWanted()) {
                    in.context().execute(cache::open);
                }
                return load(in, table, probe);
            }
            Row known = cache.find(key, lsn);
            if (known != null) {
                boolean expired = known.bytes() != null && known.fromLsn() < fromLsn;
                return expired ? Row.absent(Row.UNKNOWN) : known;
            }
            long ticket = cache.beginLoad(key); // before the view
            long start = cache.nanoTime();
            Row found = load(in, table, probe);
            if (lsn == Long.MAX_VALUE) {
                cache.offer(key, found, ticket, cache.nanoTime() - start);
            }
            return found;
        }

        private Row load(TableGroupShard in, TableShard table, Probe probe) throws IOException {
            if (lsn != Long.MAX_VALUE || schema.orientation().hasRows()) {
                return lookup.find(table.view(), probe.key(), probe.hash(), lsn, fromLsn);
            }
            while (true) {
                long present = in.appliedLsn().value();
                Row found = lookup.find(table.view(), probe.key(), probe.hash(), present, fromLsn);
                // Old versions are dropped when their history ends. If that happened during the
                // search, and the shard applied more, the row of the present may have been dropped.
                if (in.appliedLsn().value() <= present
                        || snapshots.passedLsn(schema.id()) <= present) {
                    return found;
                }
            }
        }
    }
}
