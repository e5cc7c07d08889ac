package io.stele.cache.files;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The creation of directories whose names survive a crash of the machine, for files that must
 * survive it, too.
 *
 * <p>Invariant: when {@link #create} returns, the names of the directory and of those above it are
 * durable, as far as this process made them, whichever of its threads did. Thread-safe.
 */
public final class DurableDirectories {
    /** Makes the names in a directory durable. */
    @FunctionalInterface
    public interface Sync {
        void sync(Path directory) throws IOException;
    }

    /**
     * The directories that threads of this process may have made and not yet synced, with the
     * number of these threads. It is shared, because several stores may have one root.
     */
    private static final Map<Path, Integer> UNSYNCED = new ConcurrentHashMap<>();

    /** The directories whose last sync failed, which the next call syncs again. */
    private static final Set<Path> FAILED = ConcurrentHashMap.newKeySet();

    private final Sync sync;

    public DurableDirectories() {
        this(Directories::sync);
    }

    /**
     * @param sync makes the names in a directory durable
     */
    public DurableDirectories(Sync sync) {
        this.sync = requireNonNull(sync, "sync is null");
    }

    /**
     * Creates an absolute directory and the directories above it, each durable; blocks.
     *
     * @throws IOException also if a file has the name of one of them
     */
    public void create(Path directory) throws IOException {
        if (Files.isDirectory(directory)
                && !UNSYNCED.containsKey(directory)
                && !FAILED.contains(directory)) {
            return;
        }
        Path parent = requireNonNull(directory.getParent(), "directory has no parent");
        create(parent);
        UNSYNCED.merge(directory, 1, Integer::sum);
        try {
            Files.createDirectory(directory);
        } catch (IOException | RuntimeException | Error e) {
            if (!Files.isDirectory(directory)) {
                removeUnsynced(directory);
                throw e;
            }
        }
        try {
            sync.sync(parent);
            FAILED.remove(directory);
        } catch (IOException | RuntimeException | Error e) {
            FAILED.add(directory); // before it leaves the others, so that no call misses it
            throw e;
        } finally {
            removeUnsynced(directory);
        }
    }

    private static void removeUnsynced(Path directory) {
        UNSYNCED.computeIfPresent(directory, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Makes the names in a directory durable; blocks. */
    public void sync(Path directory) throws IOException {
        sync.sync(directory);
    }
}
