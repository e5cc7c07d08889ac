package io.stele.storage.orc;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.storage.format.FileMetadata;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Column files that are open: their decoded footers and their checksums, of those that were read or
 * written here before; and the metadata of files that were written lately, by whomever, for those
 * who read them elsewhere. Files never change, so nothing is ever invalidated; those of a deleted
 * file are forgotten with {@link #forget}. Thread-safe.
 */
public final class ColumnFileReaders {
    private static final long ENTRY_BYTES = 250; // key, map and policy, about

    /** What the metadata of new files may have for each byte of the others. */
    private static final int FRESH_SHARE = 4;

    private final SingleFlightCache<String, ColumnFileReader> readers;
    private final SingleFlightCache<String, byte[]> fresh;

    /**
     * @param maxBytes of open files; a quarter of it is for the metadata of new files besides
     * @param nanoTime measures what opening files takes
     */
    public ColumnFileReaders(String name, long maxBytes, LongSupplier nanoTime) {
        this.readers =
                new SingleFlightCache<>(
                        name, maxBytes, reader -> reader.retainedBytes() + ENTRY_BYTES, nanoTime);
        // Those who find something here read it elsewhere otherwise: what that takes nobody knows
        this.fresh =
                new SingleFlightCache<>(
                        "fresh-" + name,
                        maxBytes / FRESH_SHARE,
                        encoded -> encoded.length + ENTRY_BYTES);
    }

    /**
     * The reader of a file; blocks if it is not here.
     *
     * @param columns those that the file's schema version has, always the same for a file
     */
    public ColumnFileReader open(ObjectStore store, FileEntry file, List<ColumnSchema> columns)
            throws IOException {
        if (NonBlocking.isActive()) {
            Optional<ColumnFileReader> present = readers.find(file.path());
            if (present.isEmpty()) {
                NonBlocking.check();
            }
            return present.orElseThrow();
        }
        return readers.get(file.path(), () -> ColumnFileReader.open(store, file, columns));
    }

    /**
     * As {@link #open}; blocks.
     *
     * @param stripes gets the metadata of stripes, where they came with the file's
     */
    ColumnFileReader open(
            ObjectStore store,
            FileEntry file,
            List<ColumnSchema> columns,
            Map<Integer, StripeMetadata> stripes)
            throws IOException {
        NonBlocking.check();
        return readers.get(file.path(), () -> ColumnFileReader.open(store, file, columns, stripes));
    }

    /** The reader of a file, if it is here. */
    public Optional<ColumnFileReader> findOpen(String path) {
        return readers.find(path);
    }

    /**
     * Takes a file that was just written; its reader, if it is here now.
     *
     * @param columns as in {@link #open}
     */
    Optional<ColumnFileReader> written(
            ObjectStore store, FileEntry file, List<ColumnSchema> columns, WrittenEnd end)
            throws IOException {
        Optional<ColumnFileReader> reader = ColumnFileReader.ofWritten(store, file, columns, end);
        if (reader.isPresent()) {
            readers.put(file.path(), reader.get());
        }
        end.metadata()
                .flatMap(bytes -> new FileMetadata(end.checksums(), bytes).encode())
                .ifPresent(encoded -> fresh.put(file.path(), encoded));
        return reader;
    }

    /**
     * Takes the metadata of a file that another node wrote.
     *
     * @param encoded {@link FileMetadata#encode}; not to be changed
     */
    public void keepMetadata(String path, byte[] encoded) {
        fresh.put(path, encoded);
    }

    /** The metadata of a file that was written lately, here or elsewhere, for another node. */
    public Optional<byte[]> findMetadata(String path) {
        return fresh.find(path);
    }

    /** Whether that is here. */
    public boolean hasMetadata(String path) {
        return fresh.peek(path).isPresent();
    }

    /** Forgets a file that was deleted. */
    public void forget(String path) {
        readers.remove(path);
        fresh.remove(path);
    }

    public CacheStatistics statistics() {
        return readers.statistics();
    }

    /** Of the metadata of new files. */
    public CacheStatistics freshStatistics() {
        return fresh.statistics();
    }
}
