package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.objectstore.cached.CatalogCacheFolder;
import java.nio.file.Path;
import org.apache.paimon.disk.IOManager;

/**
 * The folder on this node where writers of one catalog sort and buffer what does not fit in memory:
 * below the node's data directory, or else that of temporary files. Thread-safe.
 */
public final class SpillFolder {
    private final Path folder;

    @Inject
    public SpillFolder(CatalogCacheFolder cache) {
        folder =
                cache.path()
                        .map(
                                path ->
                                        requireNonNull(path.getParent(), "the folder has no parent")
                                                .resolveSibling("stele-paimon-spill")
                                                .resolve(path.getFileName()))
                        .orElseGet(
                                () ->
                                        Path.of(
                                                System.getProperty("java.io.tmpdir"),
                                                "stele-paimon-spill"));
    }

    /** The disk of one writer; what is on it is deleted when it is closed. */
    IOManager open() {
        return IOManager.create(folder.toString());
    }
}
