package io.stele.paimon.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.net.URLEncoder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The default folder of a catalog's caches on this node, below the node's data directory. Catalogs
 * of the connector stele have theirs beside it, and empty it when it is abandoned.
 *
 * @param path empty: the node has no known data directory
 */
public record CacheFolder(Optional<Path> path) {
    private static final String FOLDER = "stele-cache";

    public CacheFolder {
        requireNonNull(path, "path is null");
    }

    /**
     * The folder of a catalog.
     *
     * @param dataDirectory of the node; empty if the node has none
     */
    public static CacheFolder of(String catalog, String dataDirectory) {
        if (dataDirectory.isEmpty()) {
            return new CacheFolder(Optional.empty());
        }
        // A name may be any text: each has a folder of its own, and none is outside
        String name = URLEncoder.encode(catalog, UTF_8).replace(".", "%2E");
        return new CacheFolder(Optional.of(Path.of(dataDirectory, FOLDER, name)));
    }
}
