package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.objectstore.warehouse.WarehouseLocation;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The location of the default folder of this sidecar's caches, beside its log or in the data
 * directory of the process. Beside a log {@code wal} it is {@code wal-cache}; if the log is not on
 * a disk of this host, it is in the data directory.
 */
public final class CacheFolder {
    /**
     * The data directory of a process, for data that it can lose.
     *
     * @param path empty: it has none
     */
    public record DataDirectory(Optional<Path> path) {
        public DataDirectory {
            requireNonNull(path, "path is null");
        }

        /** The data directory in a system property's value; empty: none. */
        public static DataDirectory of(String value) {
            return new DataDirectory(
                    value.isEmpty() ? Optional.empty() : Optional.of(Path.of(value)));
        }
    }

    private final StorageConfig storage;
    private final DataDirectory dataDirectory;

    @Inject
    public CacheFolder(StorageConfig storage, DataDirectory dataDirectory) {
        this.storage = requireNonNull(storage, "storage is null");
        this.dataDirectory = requireNonNull(dataDirectory, "dataDirectory is null");
    }

    /**
     * The folder, which may not exist yet; empty if no local folder is configured.
     *
     * @throws IllegalArgumentException if the log's location is malformed
     */
    public Optional<Path> path() {
        return switch (WarehouseLocation.parse(storage.getWalPath())) {
            case WarehouseLocation.Folder log ->
                    Optional.ofNullable(log.path().getFileName())
                            .map(name -> log.path().resolveSibling(name + "-cache"));
            case WarehouseLocation.Bucket _, WarehouseLocation.Hadoop _ ->
                    dataDirectory.path().map(path -> path.resolve("cache"));
        };
    }
}
