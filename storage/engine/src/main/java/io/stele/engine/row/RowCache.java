package io.stele.engine.row;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.ChangingCache;
import io.stele.protocol.schema.XxHash64;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the newest rows of keys that were looked up, by table shard and key. A node has one,
 * bounded in bytes; each {@code TableShard} has its {@link Slice}.
 *
 * <p>Invariant: a row that is found here is what a lookup without the cache would find at the
 * moment the lookup began or later, at the latest state and at every LSN from {@link Row#fromLsn}
 * up to the acknowledged one. Flush and compaction do not change a key's newest row, and so do not
 * touch the cache.
 *
 * <p>Thread-safe.
 */
public final class RowCache {
    private static final long NO_SLICE = 0;

    private final ChangingCache<Key, Row> rows;
    private final boolean enabled;
    private final LongSupplier nanoTime;
    private final AtomicLong lastSlice = new AtomicLong();

    /**
     * @param maxBytes of keys, rows and overhead; 0: nothing is cached
     * @param nanoTime the clock that measures lookups that miss
     */
    public RowCache(String name, long maxBytes, LongSupplier nanoTime) {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.rows = new ChangingCache<>(name, maxBytes, RowCache::weightBytes);
        this.enabled = maxBytes > 0;
    }

    /**
     * The cached state of a key.
     *
     * @param bytes the row, not to be changed; null: the key has none
     * @param lsn of the row's version; without meaning where there is no row
     * @param fromLsn this is the newest version at every LSN from here on; {@link #UNKNOWN}:
     *     perhaps not the newest, and never in the cache
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Row(byte @Nullable [] bytes, long lsn, long fromLsn) {
        public static final long UNKNOWN = -1;

        /** The key has no row. */
        public static Row absent(long fromLsn) {
            return new Row(null, UNKNOWN, fromLsn);
        }
    }

    /** A new slice, for one table in one shard. */
    public Slice slice() {
        return new Slice();
    }

    public CacheStatistics statistics() {
        return rows.statistics();
    }

    private static long weightBytes(Key key, Row row) {
        byte[] bytes = row.bytes();
        return Key.OVERHEAD_BYTES + key.bytes.length + (bytes == null ? 0 : bytes.length);
    }

    /**
     * The rows of one table in one shard; closed until the first lookup by key, so that tables that
     * are only written and scanned have no cost. {@link #open}, changes and resets belong to the
     * shard's execution context, the rest is for any thread.
     */
    public final class Slice {
        private final AtomicBoolean wanted = new AtomicBoolean();
        private boolean open; // confined to the context
        private volatile long id = NO_SLICE;

        /**
         * Whether the caller, which looks a key up, must have the shard's context {@link #open}
         * this slice.
         */
        public boolean isWanted() {
            return enabled && !wanted.get() && wanted.compareAndSet(false, true);
        }

        /** Called between two changes: rows are cached from now on. */
        public void open() {
            open = true;
            id = lastSlice.incrementAndGet();
        }

        /**
         * A key that is looked up here; null if nothing is to be looked up now.
         *
         * @param hash {@link XxHash64} of the key
         */
        public @Nullable Key key(byte[] key, long hash) {
            long current = id;
            return current == NO_SLICE ? null : new Key(current, key, hash);
        }

        /** The cached state of the key at {@code lsn}; null if there is none. */
        public @Nullable Row find(Key key, long lsn) {
            Row row = rows.find(key);
            return row != null && row.fromLsn() <= lsn ? row : null;
        }

        /** The ticket of a load; take it before the table's view. */
        public long beginLoad(Key key) {
            return rows.beginLoad(key);
        }

        /**
         * Caches a row, if it is certainly the newest in a view taken after the ticket.
         *
         * @param nanos the nanoseconds that finding the row took
         */
        public void offer(Key key, Row row, long ticket, long nanos) {
            if (row.fromLsn() != Row.UNKNOWN) {
                rows.offer(key, row, ticket, nanos);
            }
        }

        /** The clock that measures lookups. */
        public long nanoTime() {
            return nanoTime.getAsLong();
        }

        /** A key is about to get a new version; the result is for {@link #endChange}. */
        @Nullable
        public Key beginChange(byte[] array, int offset, int length) {
            long current = id;
            if (current == NO_SLICE) {
                return null;
            }
            Key key =
                    new Key(
                            current,
                            Arrays.copyOfRange(array, offset, offset + length),
                            XxHash64.hash(array, offset, length));
            rows.beginChange(key);
            return key;
        }

        /** The version is in the memtable. */
        public void endChange(@Nullable Key key) {
            if (key != null) {
                rows.endChange(key);
            }
        }

        /** Many keys are about to change: nothing is found until {@link #endReset}. */
        public void beginReset() {
            id = NO_SLICE;
        }

        /** Starts empty; earlier entries are never found again, and are evicted. */
        public void endReset() {
            id = open ? lastSlice.incrementAndGet() : NO_SLICE;
        }
    }

    /** A key of a slice, with its hash. Immutable. */
    public static final class Key {
        /** This object and its array, the row's, and the cache's node and table slot. */
        private static final long OVERHEAD_BYTES = 200;

        private final long slice;
        private final byte[] bytes;
        private final int hash;

        private Key(long slice, byte[] bytes, long hash) {
            this.slice = slice;
            this.bytes = requireNonNull(bytes, "bytes is null");
            this.hash = Long.hashCode(hash + slice * 0x9E3779B97F4A7C15L);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && hash == key.hash
                    && slice == key.slice
                    && Arrays.equals(bytes, key.bytes);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
