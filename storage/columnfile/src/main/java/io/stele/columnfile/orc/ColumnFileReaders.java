package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The cache of a node's open column file readers, with decoded footers and checksums; a miss reads
 * the store. It also caches the encoded metadata of recently written files, from any writer, for
 * other nodes that read those files.
 *
 * <p>Files never change, so no entry is ever invalidated; entries of a deleted file are removed
 * with {@link #forget}. Thread-safe.
 */
public final class ColumnFileReaders {
    private static final long ENTRY_BYTES = 250; // key, map and policy, about

    /** The memory of open files divided by this is the memory of new files' metadata. */
    private static final int FRESH_SHARE = 4;

    private final SingleFlightCache<String, ColumnFileReader> readers;
    private final SingleFlightCache<String, byte[]> fresh;
    private final Consumer<Throwable> uncaught;

    /**
     * @param maxBytes of open files; the metadata of new files get another quarter of this
     * @param nanoTime the clock that measures opening files
     * @param uncaught called for metadata that cannot be used; the file itself is read instead
     */
    public ColumnFileReaders(
            String name, long maxBytes, LongSupplier nanoTime, Consumer<Throwable> uncaught) {
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
        this.readers =
                new SingleFlightCache<>(
                        name, maxBytes, reader -> reader.retainedBytes() + ENTRY_BYTES, nanoTime);
        // No clock: the time that a hit saves is unknown, because a miss reads the metadata
        // elsewhere
        this.fresh =
                new SingleFlightCache<>(
                        "fresh-" + name,
                        maxBytes / FRESH_SHARE,
                        encoded -> encoded.length + ENTRY_BYTES);
    }

    /**
     * The reader of a file; blocks if it is not cached.
     *
     * @param columns of the file's schema version, always equal for a file
     */
    public ColumnFileReader open(
            ObjectStore store, StoredColumnFile file, List<ColumnSchema> columns)
            throws IOException {
        if (NonBlocking.isActive()) {
            Optional<ColumnFileReader> present = readers.find(file.path());
            if (present.isEmpty()) {
                NonBlocking.check();
            }
            return present.orElseThrow();
        }
        return readers.get(
                file.path(),
                () -> {
                    Optional<byte[]> kept = fresh.find(file.path());
                    return kept.isPresent()
                            ? load(store, file, columns, kept, new HashMap<>())
                            : ColumnFileReader.open(store, file, columns);
                });
    }

    /** A reader of the stored metadata of a file. */
    @FunctionalInterface
    public interface MetadataSource {
        /**
         * Reads {@link FileMetadata#encodeStored}; blocks.
         *
         * @return empty if they are not stored there
         */
        Optional<byte[]> read() throws IOException;
    }

    /**
     * The reader of a file, and the metadata of stripes that were read with it; blocks.
     *
     * @param metadata read if the file's metadata is not in memory; one request, shorter than a
     *     read of the key index's end
     * @param stripes receives the metadata of the stripes, if they were read with the file's
     *     metadata
     */
    ColumnFileReader open(
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            MetadataSource metadata,
            Map<Integer, StripeMetadata> stripes)
            throws IOException {
        NonBlocking.check();
        return readers.get(
                file.path(),
                () -> {
                    Optional<byte[]> kept = fresh.find(file.path());
                    return load(
                            store,
                            file,
                            columns,
                            kept.isPresent() ? kept : read(file, metadata),
                            stripes);
                });
    }

    private ColumnFileReader load(
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            Optional<byte[]> encoded,
            Map<Integer, StripeMetadata> stripes)
            throws IOException {
        Optional<Decoded> found =
                encoded.flatMap(bytes -> decode(store, file, columns, bytes, stripes));
        if (found.isEmpty()) {
            return ColumnFileReader.open(store, file, columns, stripes);
        }
        return found.get().reader.isPresent()
                ? found.get().reader.get()
                : ColumnFileReader.openEnds(
                        store, file, columns, Optional.of(found.get().checksums), stripes);
    }

    private Optional<byte[]> read(StoredColumnFile file, MetadataSource metadata)
            throws IOException {
        try {
            return metadata.read();
        } catch (SteleException damaged) {
            unusable(file, damaged);
            return Optional.empty();
        }
    }

    /**
     * The decoded metadata of a file.
     *
     * @param reader empty if the end of the file is too long
     */
    private record Decoded(FileChecksums checksums, Optional<ColumnFileReader> reader) {}

    /**
     * Opens a file by its metadata, without a read. Empty if they do not belong to the file; then
     * they are dropped, because the store has them.
     */
    private Optional<Decoded> decode(
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            byte[] encoded,
            Map<Integer, StripeMetadata> stripes) {
        try {
            FileMetadata metadata = FileMetadata.decode(file.path(), encoded, file.sizeBytes());
            FileChecksums checksums =
                    metadata.checksums(
                            file.path(), file.sizeBytes(), ColumnFileReader.checksumsPath(file));
            return Optional.of(
                    new Decoded(
                            checksums,
                            ColumnFileReader.ofMetadata(store, file, columns, metadata, stripes)));
        } catch (IOException | RuntimeException failed) {
            fresh.remove(file.path());
            unusable(file, failed);
            return Optional.empty();
        }
    }

    /** Reports metadata of a file, in its key index or from its writer, that cannot be used. */
    public void unusable(StoredColumnFile file, Exception why) {
        uncaught.accept(
                new SteleException(
                        ErrorCode.CORRUPT_DATA,
                        "Metadata of %s, of its key index %s or its writer, cannot be used; %s"
                                .formatted(
                                        file.path(),
                                        file.keyIndexPath().orElse("(none)"),
                                        file.indexedMetadata().isPresent()
                                                ? "its rows cannot be read if that is so in the key index"
                                                : "the file itself is read"),
                        why));
    }

    /** The reader of a file, if it is cached. */
    public Optional<ColumnFileReader> findOpen(String path) {
        return readers.find(path);
    }

    /** The reader of a file, if it is cached; does not count as a use. */
    public Optional<ColumnFileReader> peekOpen(String path) {
        return readers.peek(path);
    }

    /**
     * Caches a file that was just written; returns its reader, if it is cached now.
     *
     * @param columns as in {@link #open}
     */
    Optional<ColumnFileReader> written(
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            WrittenFileMetadata end)
            throws IOException {
        Optional<ColumnFileReader> reader = ColumnFileReader.ofWritten(store, file, columns, end);
        if (reader.isPresent()) {
            readers.put(file.path(), reader.get());
        }
        end.encodedMetadata().ifPresent(encoded -> fresh.put(file.path(), encoded));
        return reader;
    }

    /**
     * Caches the metadata of a file that another node wrote.
     *
     * @param encoded {@link FileMetadata#encode}; must not be changed
     */
    public void keepMetadata(String path, byte[] encoded) {
        fresh.put(path, encoded);
    }

    /** The cached metadata of a file that any node wrote recently, to be sent to another node. */
    public Optional<byte[]> findMetadata(String path) {
        return fresh.find(path);
    }

    /** Whether {@link #findMetadata} would find the metadata of a file. */
    public boolean hasMetadata(String path) {
        return fresh.peek(path).isPresent();
    }

    /** Removes a file that was deleted. */
    public void forget(String path) {
        readers.remove(path);
        fresh.remove(path);
    }

    public CacheStatistics statistics() {
        return readers.statistics();
    }

    /** The statistics of the metadata of new files. */
    public CacheStatistics freshStatistics() {
        return fresh.statistics();
    }
}
