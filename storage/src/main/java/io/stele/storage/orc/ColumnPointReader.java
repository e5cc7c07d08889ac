package io.stele.storage.orc;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.storage.objectstore.NonBlocking;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Reads single rows of column files by ordinal: the second half of a lookup by key in a column
 * tablet. Keeps the row groups that were read last, compressed as they are. Thread-safe.
 */
public final class ColumnPointReader {
    /**
     * The reader itself, by identity: it says which columns, and comparing those would cost more
     * than the lookup.
     */
    private record Key(ColumnFileReader file, RowGroup group) {}

    private final SingleFlightCache<Key, RowGroupReader> groups;

    /**
     * @param nanoTime measures what reading row groups takes
     */
    public ColumnPointReader(String name, long maxBytes, LongSupplier nanoTime) {
        this.groups =
                new SingleFlightCache<>(name, maxBytes, RowGroupReader::weightBytes, nanoTime);
    }

    /**
     * The row at {@code ordinal} of {@code file}; keep the reader open between calls, since its row
     * groups are kept by it.
     */
    public ColumnRow read(ColumnFileReader file, int ordinal) throws IOException {
        requireNonNull(file, "file is null");
        Key key = new Key(file, file.rowGroup(ordinal));
        return group(key).read(ordinal);
    }

    private RowGroupReader group(Key key) throws IOException {
        if (NonBlocking.isActive()) {
            Optional<RowGroupReader> present = groups.find(key);
            if (present.isEmpty()) {
                NonBlocking.check();
            }
            return present.orElseThrow();
        }
        return groups.get(key, () -> key.file().openRowGroup(key.group()));
    }

    /** Forgets the row groups of a file that was deleted. */
    public void forget(String path) {
        groups.removeIf(key -> key.file().path().equals(path));
    }

    public CacheStatistics statistics() {
        return groups.statistics();
    }
}
