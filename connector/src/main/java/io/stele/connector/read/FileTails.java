package io.stele.connector.read;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;

/**
 * The last bytes of the files that were read before: postscript, footer and stripe statistics, so
 * that a split costs no read before its first stripe. Files never change, so nothing is ever
 * invalidated. Thread-safe.
 */
public final class FileTails {
    /**
     * 16 KiB holds the tail of most files and is what trino-orc asks for first; larger tails are
     * loaded whole once.
     */
    private static final int FIRST_READ_BYTES = 16 * 1024;

    private final ObjectStore warehouse;
    private final SingleFlightCache<Key, byte[]> tails;

    public FileTails(ObjectStore warehouse, long maxBytes) {
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.tails = new SingleFlightCache<>("orc-tails", maxBytes, tail -> tail.length + 128L);
    }

    /** At least the last {@code length} bytes of a file, or all of a smaller one. */
    byte[] load(String path, long sizeBytes, int length) throws IOException {
        int wanted = (int) Math.min(sizeBytes, Math.max(length, FIRST_READ_BYTES));
        Key key = new Key(path, wanted > FIRST_READ_BYTES ? wanted : FIRST_READ_BYTES);
        return tails.get(key, () -> warehouse.read(path, sizeBytes - wanted, wanted));
    }

    public CacheStatistics statistics() {
        return tails.statistics();
    }

    private record Key(String path, int length) {}
}
