package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.stele.cache.page.CachedFile;
import io.stele.objectstore.ForwardingObjectWriter;
import io.stele.objectstore.ObjectWriter;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;

/**
 * An object writer on the write path that writes a data file and offers each full page to the data
 * page cache. Pages that the cache cannot accept in time are not cached. Pages of a file that is
 * closed without publication are removed from the cache.
 */
final class WarmingWriter extends ForwardingObjectWriter {
    /** Many small files wait to be published, or to be cached, at the same time. */
    private static final int FIRST_PAGE_BYTES = 4 << 10;

    private final CachedObjectStore store;
    private final String path;
    private final int pageBytes;
    private final CachedFile growing;
    private byte[] page = new byte[0];
    private int filled;
    private long pages;
    private boolean published;

    WarmingWriter(ObjectWriter writer, CachedObjectStore store, String path, int pageBytes) {
        super(writer);
        this.store = requireNonNull(store, "store is null");
        this.path = requireNonNull(path, "path is null");
        this.pageBytes = pageBytes;
        this.growing = store.file(path, Long.MAX_VALUE);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        super.write(bytes, offset, length);
        int position = offset;
        while (position < offset + length) {
            int count = Math.min(offset + length - position, pageBytes - filled);
            reserve(filled + count);
            System.arraycopy(bytes, position, page, filled, count);
            position += count;
            filled += count;
            if (filled == pageBytes) {
                store.offer(growing, pages++, page, filled);
                page = new byte[0];
                filled = 0;
            }
        }
    }

    private void reserve(int size) {
        if (size > page.length) {
            int larger = Math.max(Math.max(size, FIRST_PAGE_BYTES), 2 * page.length);
            page = Arrays.copyOf(page, Math.min(pageBytes, larger));
        }
    }

    /** Bytes buffered for the page that is not full yet. */
    int heldBytes() {
        return page.length;
    }

    @Override
    public void commit() throws IOException {
        super.commit();
        published = true;
        CachedFile whole = store.remember(path, position());
        if (filled > 0) {
            store.offer(whole, pages, page, filled);
        }
        page = new byte[0];
    }

    @Override
    public void close() throws IOException {
        page = new byte[0];
        try {
            super.close();
        } finally {
            if (!published && pages > 0) {
                store.forget(store.file(path, pages * pageBytes));
                pages = 0;
            }
        }
    }
}
