package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.objectstore.FolderStore;
import io.stele.objectstore.warehouse.LakeRoot;
import io.stele.objectstore.warehouse.WarehouseAccess;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.paimon.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * The registry of the stores that have a lake's files, each opened when a file in it is first used.
 * A table may have files in several stores. Files on this host are refused unless the lake is on
 * it, since writers of a lake must not choose which files of this host are read. Thread-safe.
 */
final class LakeStores implements AutoCloseable {
    /** Buckets and file systems of one lake; each has connections and a few threads. */
    private static final int MAX_STORES = 32;

    private final WarehouseAccess access;
    private final LakeDataCache cache;
    private final boolean mayReadHost;

    @GuardedBy("this")
    private final Map<LakeRoot, LakeStore> open = new HashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /** A file or folder, by its store and its path in the store; the path of the root is empty. */
    record Located(LakeStore store, String path) {
        Located {
            requireNonNull(store, "store is null");
            requireNonNull(path, "path is null");
        }
    }

    LakeStores(WarehouseAccess access, LakeDataCache cache, boolean mayReadHost) {
        this.access = requireNonNull(access, "access is null");
        this.cache = requireNonNull(cache, "cache is null");
        this.mayReadHost = mayReadHost;
    }

    /**
     * Finds out which store has a file; sends no request.
     *
     * @throws IOException if there is no such store, or it may not be used
     */
    Located locate(Path location) throws IOException {
        String path = location.toUri().getPath();
        return new Located(store(root(location)), path.startsWith("/") ? path.substring(1) : path);
    }

    private LakeRoot root(Path location) throws IOException {
        LakeRoot root;
        try {
            root = LakeRoot.of(location.toUri().getScheme(), location.toUri().getAuthority());
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage() + " in " + location, e);
        }
        if (root.kind() == LakeRoot.Kind.FOLDER && !location.toUri().getPath().startsWith("/")) {
            throw new IOException("Expected an absolute path, found " + location);
        }
        if (root.kind() == LakeRoot.Kind.FOLDER && !mayReadHost) {
            throw new IOException(
                    "Expected a file in a store of the lake, found one of this host: " + location);
        }
        return root;
    }

    /**
     * The opened store of a root. Opening sends no request, so that no request is sent under the
     * lock.
     */
    private synchronized LakeStore store(LakeRoot root) throws IOException {
        @Nullable LakeStore found = open.get(root);
        if (found != null) {
            return found;
        }
        if (closed) {
            throw new IOException("Expected an open catalog, found it closed");
        }
        if (open.size() == MAX_STORES) {
            throw new IOException(
                    "Expected a lake in at most %s stores, found files in another: %s"
                            .formatted(MAX_STORES, root));
        }
        FolderStore store = root.open(access);
        LakeStore opened = new LakeStore(store, cache.over(store, root.toString()));
        open.put(root, opened);
        return opened;
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        IOException failure = null;
        for (LakeStore store : open.values()) {
            try {
                store.folders().close();
            } catch (IOException e) {
                failure = e;
            }
        }
        open.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
