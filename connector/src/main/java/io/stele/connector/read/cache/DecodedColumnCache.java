package io.stele.connector.read.cache;

import io.stele.cache.CacheStatistics;
import io.stele.cache.Doorkeeper;
import io.stele.cache.SingleFlightCache;
import io.stele.connector.read.file.TableUses;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * A worker's cache, in memory, of decoded columns of column files, in units of a page's rows. A
 * scan that finds its columns neither reads nor decompresses nor decodes. Files never change, so
 * nothing is ever invalidated.
 *
 * <p>Invariant: a block comes out with exactly the values of the file; the scan itself decides
 * which rows are visible. Invariant: a column requested only once is not cached.
 *
 * <p>Thread-safe.
 */
public final class DecodedColumnCache {
    // A bit for each page of 8,192 values: 2 billion values before it forgets what was requested
    private static final int SEEN_BITS_LOG2 = 19;
    // A page of wide text; larger blocks are better left to the page cache of the system
    private static final long MAX_ENTRY_BYTES = 2 << 20;
    private static final long ENTRY_OVERHEAD_BYTES = 200;

    private final SingleFlightCache<Key, PackedBlock> blocks;
    private final Doorkeeper seen = new Doorkeeper(SEEN_BITS_LOG2);
    private final LongAdder misses = new LongAdder();
    private final boolean enabled;
    private final TableUses uses = new TableUses();

    public DecodedColumnCache(long maxBytes) {
        this.blocks =
                new SingleFlightCache<>(
                        "hot-columns",
                        maxBytes,
                        block -> block.retainedBytes() + ENTRY_OVERHEAD_BYTES);
        this.enabled = maxBytes > 0;
    }

    boolean isEnabled() {
        return enabled;
    }

    /** The values, if they are cached. */
    Optional<PackedBlock> find(Key key) {
        Optional<PackedBlock> found = blocks.find(key);
        if (found.isPresent()) {
            uses.found(key.path, found.get().retainedBytes());
        } else {
            misses.increment();
        }
        return found;
    }

    /** Whether the values are cached; does not count as a request for them. */
    boolean contains(Key key) {
        return blocks.peek(key).isPresent();
    }

    /** Its counters for each table. */
    public TableUses uses() {
        return uses;
    }

    /** Its counters and contents; a miss is a page of a column that had to be decoded. */
    public CacheStatistics statistics() {
        CacheStatistics known = blocks.statistics();
        return new CacheStatistics(
                known.name(),
                known.hits(),
                misses.sum(),
                known.failures(),
                known.hitBytes(),
                known.savedNanos(),
                known.evictions(),
                known.replaced(),
                known.invalidated(),
                known.entries(),
                known.weightBytes(),
                known.maxWeightBytes());
    }

    /**
     * Caches a block that a scan has decoded, if it was requested before.
     *
     * @param nanos nanoseconds that reading and decoding took
     */
    void offer(Key key, Block block, long nanos) {
        uses.missed(key.path, nanos);
        if (seen.recordAccess(key.hashCode())
                && block.getRetainedSizeInBytes() <= MAX_ENTRY_BYTES) {
            PackedBlock.pack(block, key.type()).ifPresent(packed -> blocks.put(key, packed));
        }
    }

    /**
     * Some rows of a column.
     *
     * @param path the file; no other ever has its name
     * @param column index of the column in the file
     * @param type the type as which it is read
     * @param firstRow number in the file of the first row
     */
    record Key(String path, int column, Type type, long firstRow, int rowCount) {}
}
