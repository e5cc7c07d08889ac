package io.stele.objectstore.cached;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The default folder of the caches of a Trino catalog on this node, below the node's data
 * directory.
 *
 * @param path empty: the node has no known data directory
 */
public record CatalogCacheFolder(Optional<Path> path) {
    private static final String FOLDER = "stele-cache";

    public CatalogCacheFolder {
        requireNonNull(path, "path is null");
    }

    /**
     * The folder of a catalog.
     *
     * @param dataDirectory of the node; empty if the node has none
     */
    public static CatalogCacheFolder of(String catalog, String dataDirectory) {
        if (dataDirectory.isEmpty()) {
            return new CatalogCacheFolder(Optional.empty());
        }
        // A catalog's name may be any text: each gets a folder of its own, inside the data
        // directory
        String name = URLEncoder.encode(catalog, UTF_8).replace(".", "%2E");
        return new CatalogCacheFolder(Optional.of(Path.of(dataDirectory, FOLDER, name)));
    }

    /** The cache folders of all catalogs of the node, found by the folder of one of them. */
    public static List<Path> all(Path folder) {
        try (Stream<Path> all = Files.list(folder.toAbsolutePath().getParent())) {
            return all.filter(Files::isDirectory).toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
