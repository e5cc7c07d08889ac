package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageCache;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store whose data files are read through a {@link DataCache}, and optionally cached while they
 * are written. Objects that can be created later or replaced (manifests, decisions, catalogs)
 * bypass the cache: only objects from {@link #open} are cached, and only if they are data files.
 *
 * <p>Thread-safe.
 */
public final class CachedObjectStore extends ForwardingObjectStore {
    /** Files remembered, so that a deleted one leaves the cache: 20 MB of heap at most. */
    private static final int MAX_KNOWN_FILES = 100_000;

    private final DataCache cache;
    private final WarmingPolicy warming;
    private final DataFileNaming naming;
    private final boolean isWarming;
    private final boolean admitsOnSecondAccess;
    private final Map<String, CachedFile> known; // guarded by itself

    CachedObjectStore(
            ObjectStore store, DataCache cache, WarmingPolicy warming, DataFileNaming naming) {
        this(
                store,
                cache,
                warming,
                naming,
                warming != WarmingPolicy.NOTHING,
                false,
                new KnownFiles());
    }

    private CachedObjectStore(
            ObjectStore store,
            DataCache cache,
            WarmingPolicy warming,
            DataFileNaming naming,
            boolean isWarming,
            boolean admitsOnSecondAccess,
            Map<String, CachedFile> known) {
        super(store);
        this.cache = requireNonNull(cache, "cache is null");
        this.warming = requireNonNull(warming, "warming is null");
        this.naming = requireNonNull(naming, "naming is null");
        this.isWarming = isWarming;
        this.admitsOnSecondAccess = admitsOnSecondAccess;
        this.known = known;
    }

    @Override
    public ObjectReader open(String path, long sizeBytes) throws IOException {
        if (naming.tableId(path).isEmpty()) {
            return delegate().open(path, sizeBytes);
        }
        CachedFile file = remember(path, sizeBytes);
        return new CachedObjectReader(
                delegate(),
                path,
                cache.pages(),
                admitsOnSecondAccess ? file.admittedOnSecondAccess() : file,
                !admitsOnSecondAccess);
    }

    @Override
    public CachedObjectStore replacing(List<ObjectEntry> replaced) {
        boolean warms = warming == WarmingPolicy.NEW_AND_HOT_FILES && isHot(replaced);
        return new CachedObjectStore(
                delegate(), cache, warming, naming, warms, admitsOnSecondAccess, known);
    }

    @Override
    public CachedObjectStore admittingOnSecondAccess() {
        return new CachedObjectStore(delegate(), cache, warming, naming, isWarming, true, known);
    }

    /** Whether at least half of the files' bytes is cached. */
    private boolean isHot(List<ObjectEntry> files) {
        long present = 0;
        long all = 0;
        for (ObjectEntry entry : files) {
            present += cache.pages().presentBytes(file(entry.path(), entry.sizeBytes()));
            all += entry.sizeBytes();
        }
        return 2 * present >= all && present > 0;
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        ObjectWriter writer = super.create(path);
        return isWarming && naming.tableId(path).isPresent()
                ? new WarmingWriter(writer, this, path, cache.pages().pageBytes())
                : writer;
    }

    /** Also caches a small data file that is written as a whole: the checksums of a column file. */
    @Override
    public void put(String path, byte[] content) throws IOException {
        super.put(path, content);
        if (isWarming
                && naming.tableId(path).isPresent()
                && content.length > 0
                && content.length <= cache.pages().pageBytes()) {
            offer(remember(path, content.length), 0, content.clone(), content.length);
        }
    }

    CachedFile file(String path, long sizeBytes) {
        return new CachedFile(
                naming.tableId(path).orElse(PageCache.OTHER_TABLES),
                delegate().describe(path),
                sizeBytes);
    }

    CachedFile remember(String path, long sizeBytes) {
        synchronized (known) {
            CachedFile found = known.get(path);
            if (found != null && found.sizeBytes() == sizeBytes) {
                return found;
            }
        }
        CachedFile file = file(path, sizeBytes);
        synchronized (known) {
            known.put(path, file);
        }
        return file;
    }

    void offer(CachedFile file, long page, byte[] bytes, int length) {
        cache.pages().offer(file, page, bytes, length);
    }

    void forget(CachedFile file) {
        cache.pages().remove(file);
    }

    /** Deletes the object, and its pages if this store has read or written it. */
    @Override
    public void delete(String path) throws IOException {
        super.delete(path);
        CachedFile file;
        synchronized (known) {
            file = known.remove(path);
        }
        if (file != null) {
            forget(file);
        }
    }

    /** The most recently used files. */
    private static final class KnownFiles extends LinkedHashMap<String, CachedFile> {
        private static final long serialVersionUID = 1L;

        KnownFiles() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.@Nullable Entry<String, CachedFile> eldest) {
            return size() > MAX_KNOWN_FILES;
        }
    }
}
