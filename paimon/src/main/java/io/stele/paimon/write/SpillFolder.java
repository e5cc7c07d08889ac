package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.cache.files.Directories;
import io.stele.objectstore.cached.CatalogCacheFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.paimon.disk.IOManager;
import org.jspecify.annotations.Nullable;

/**
 * The local folder where one catalog's writers and compactions sort and buffer rows that do not fit
 * in memory. It is below the node's data directory, or else temporary. At the start, files that a
 * killed process has left below the data directory are deleted. Thread-safe.
 */
public final class SpillFolder {
    private static final Logger log = Logger.get(SpillFolder.class);

    private @Nullable Path folder; // null: no writer has needed the temporary one

    @Inject
    public SpillFolder(CatalogCacheFolder cache) {
        this(
                cache.path().map(SpillFolder::besides),
                ManagementFactory.getRuntimeMXBean().getStartTime());
    }

    /**
     * @param startMillis epoch milliseconds; older files in the folder belong to an earlier process
     */
    SpillFolder(Optional<Path> folder, long startMillis) {
        this.folder = folder.orElse(null);
        folder.filter(Files::isDirectory).ifPresent(path -> deleteOlder(path, startMillis));
    }

    private static Path besides(Path cache) {
        return requireNonNull(cache.getParent(), "the folder has no parent")
                .resolveSibling("stele-paimon-spill")
                .resolve(cache.getFileName());
    }

    private static void deleteOlder(Path folder, long startMillis) {
        try {
            for (Path left : Directories.list(folder)) {
                if (Files.getLastModifiedTime(left).toMillis() < startMillis) {
                    MoreFiles.deleteRecursively(left, RecursiveDeleteOption.ALLOW_INSECURE);
                }
            }
        } catch (IOException e) {
            log.warn(e, "Files that an earlier process has left in %s stay there", folder);
        }
    }

    /** The disk space of one writer; its files are deleted when it is closed. */
    IOManager open() {
        return IOManager.create(folder().toString());
    }

    private synchronized Path folder() {
        Path present = folder;
        if (present == null) {
            try {
                // Accessible for this user alone
                present = Files.createTempDirectory("stele-paimon-spill-");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            folder = present;
        }
        return present;
    }
}
