package io.stele.benchmarks.pagecache;

import static java.util.Objects.requireNonNull;

import alluxio.client.file.cache.CacheManager;
import alluxio.client.file.cache.CacheUsage;
import alluxio.client.file.cache.PageId;
import alluxio.conf.AlluxioProperties;
import alluxio.conf.InstancedConfiguration;
import alluxio.conf.PropertyKey;
import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageBlocks;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import io.stele.cache.page.PageStore;
import io.stele.cache.page.PageStoreStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * A page store over Alluxio's client cache, embedded without an Alluxio cluster, as a peer of
 * Stele's segment files. Its version is 2.9.6, which Trino 483 uses. Each page is a file of blocks
 * with checksums ({@link PageBlocks}), because Alluxio has none of its own.
 *
 * <p>It lives here and not in the module cache because of what it depends on: see
 * docs/decisions/data-cache.md. Parts of the contract that it does not fulfil: space is counted in
 * bytes of files, not blocks on disk; eviction is LRU, without admission; tables have no shares;
 * recency is lost at a restart; when one directory fails, the pages of all are lost.
 *
 * <p>Thread-safe. One may exist in a process at a time for its metrics to mean something.
 */
final class AlluxioPageStore implements PageStore {
    private final PageGeometry geometry;
    private final PageBlocks blocks;
    private final long maxBytes;
    private final CacheManager manager;
    private final LongAdder puts = new LongAdder();
    private final LongAdder rejections = new LongAdder();
    private final LongAdder damaged = new LongAdder();

    private AlluxioPageStore(PageGeometry geometry, long maxBytes, CacheManager manager) {
        this.geometry = geometry;
        this.blocks = new PageBlocks(geometry);
        this.maxBytes = maxBytes;
        this.manager = manager;
    }

    /** Opens the folder with its contents; returns when all of them are loaded. */
    static AlluxioPageStore open(Path folder, long maxBytes, PageGeometry geometry)
            throws IOException {
        requireNonNull(folder, "folder is null");
        AlluxioProperties properties = new AlluxioProperties();
        properties.set(PropertyKey.USER_CLIENT_CACHE_ENABLED, true);
        properties.set(PropertyKey.USER_CLIENT_CACHE_DIRS, folder.toString());
        properties.set(PropertyKey.USER_CLIENT_CACHE_SIZE, String.valueOf(maxBytes));
        properties.set(PropertyKey.USER_CLIENT_CACHE_PAGE_SIZE, String.valueOf(rawBytes(geometry)));
        properties.set(PropertyKey.USER_CLIENT_CACHE_ASYNC_RESTORE_ENABLED, false);
        CacheManager manager = CacheManager.Factory.create(new InstancedConfiguration(properties));
        return new AlluxioPageStore(geometry, maxBytes, manager);
    }

    /** Of a full page with its checksums. */
    private static int rawBytes(PageGeometry geometry) {
        return Math.ceilDiv(geometry.pageBytes(), geometry.payloadBytes()) * geometry.blockBytes();
    }

    CacheManager manager() {
        return manager;
    }

    /** A file's id is the name of a folder to Alluxio. */
    PageId id(CachedFile file, long page) {
        return new PageId(file.id().replace("%", "%25").replace("/", "%2F"), page);
    }

    @Override
    public int pageBytes() {
        return geometry.pageBytes();
    }

    /** A page is a file. */
    @Override
    public int unitBytes() {
        return pageBytes();
    }

    @Override
    public long maxPages() {
        return maxBytes / rawBytes(geometry);
    }

    @Override
    public boolean isAvailable() {
        return manager.state() == CacheManager.State.READ_WRITE;
    }

    @Override
    public boolean contains(CachedFile file, long page) {
        return manager.hasPageUnsafe(id(file, page));
    }

    @Override
    public boolean contains(CachedFile file, long page, int offset, int length) {
        return contains(file, page);
    }

    @Override
    public Outcome read(
            CachedFile file, long page, int offset, byte[] buffer, int bufferOffset, int length) {
        int payload = geometry.payloadBytes();
        int first = offset / payload;
        int end = (offset + length - 1) / payload + 1;
        byte[] raw = new byte[(end - first) * geometry.blockBytes()];
        PageId id = id(file, page);
        int found = manager.get(id, first * geometry.blockBytes(), raw.length, raw, 0);
        if (found <= 0) {
            return Outcome.MISS;
        }
        PageKey key = file.key(page);
        ByteBuffer source = ByteBuffer.wrap(raw);
        int skip = offset - first * payload;
        if (found == raw.length
                && blocks.decode(key, first, source, skip, buffer, bufferOffset, length)) {
            return Outcome.HIT;
        }
        manager.delete(id);
        damaged.increment();
        return Outcome.DAMAGED;
    }

    @Override
    public boolean put(
            CachedFile file, long page, int pageOffset, byte[] bytes, int offset, int length) {
        if (pageOffset != 0) {
            throw new IllegalArgumentException(
                    "Expected a whole page, found one from " + pageOffset);
        }
        int count = Math.ceilDiv(length, geometry.payloadBytes());
        ByteBuffer raw = ByteBuffer.allocate(count * geometry.blockBytes());
        blocks.encode(file.key(page), 0, bytes, offset, length, raw);
        if (manager.put(id(file, page), raw.array())) {
            puts.increment();
            return true;
        }
        rejections.increment();
        return false;
    }

    @Override
    public void remove(CachedFile file, long page) {
        manager.delete(id(file, page));
    }

    @Override
    public PageStoreStatistics statistics() {
        Optional<CacheUsage> usage = manager.getUsage();
        long used = usage.isPresent() ? usage.orElseThrow().used() : 0;
        return new PageStoreStatistics(
                used / rawBytes(geometry),
                used,
                maxBytes,
                puts.sum(),
                0,
                rejections.sum(),
                damaged.sum(),
                0,
                0,
                1,
                isAvailable() ? 0 : 1);
    }

    @Override
    public void close() {
        try {
            manager.close();
        } catch (Exception e) {
            throw new IllegalStateException("Alluxio's cache did not close", e);
        }
    }
}
