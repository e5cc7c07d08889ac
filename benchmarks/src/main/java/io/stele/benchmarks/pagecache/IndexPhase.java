package io.stele.benchmarks.pagecache;

import io.stele.benchmarks.Metrics;
import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * The phase of the page cache benchmark that measures the heap of a page and the time of a restart,
 * with many pages. They are of 1 KiB, so that they fit on the disk of the machine; to either
 * store's index a page is a page, of 16 units in ours as those of the product, and a TiB has
 * 1,048,576 of them.
 */
final class IndexPhase {
    static final PageGeometry GEOMETRY = new PageGeometry(1024, 68);

    /** The product's pages of 1 TiB. */
    static final int PAGES_OF_TERABYTE = 1 << 20;

    private static final int PAGES_OF_FILE = 256;

    /** Opens the store, with what it has on disk. */
    interface Opener {
        PageStore open() throws IOException;
    }

    private final int pages;
    private final Metrics metrics;

    IndexPhase(int pages, Metrics metrics) {
        this.pages = pages;
        this.metrics = metrics;
    }

    /**
     * Returns the bytes of heap a page.
     *
     * @param putBytes that are put of each page, from its beginning on
     */
    double run(String name, int putBytes, Opener opener) throws IOException {
        List<CachedFile> files = new ArrayList<>();
        for (int i = 0; i < Math.ceilDiv(pages, PAGES_OF_FILE); i++) {
            long bytes = (long) PAGES_OF_FILE * GEOMETRY.pageBytes();
            files.add(new CachedFile("bench", "file-%06d.orc".formatted(i), bytes));
        }
        byte[] content = new byte[GEOMETRY.pageBytes()];
        double heapBytes;
        long before = heapBytes();
        try (PageStore store = opener.open()) {
            for (int page = 0; page < pages; page++) {
                Content.fill(page * 1024L, content, 0, content.length);
                if (!store.put(file(files, page), page % PAGES_OF_FILE, 0, content, 0, putBytes)) {
                    throw new IOException(
                            "Expected %s to keep page %d of %d".formatted(name, page, pages));
                }
            }
            heapBytes = (double) (heapBytes() - before) / pages;
            metrics.put("heap, %s: bytes a page".formatted(name), heapBytes);
        }
        long start = System.nanoTime();
        try (PageStore store = opener.open()) {
            metrics.put(
                    "restart, %s, %,d pages: ms".formatted(name, pages),
                    (System.nanoTime() - start) / 1e6);
            check(name, putBytes, store, files);
        }
        return heapBytes;
    }

    private static CachedFile file(List<CachedFile> files, int page) {
        return files.get(page / PAGES_OF_FILE);
    }

    private void check(String name, int putBytes, PageStore store, List<CachedFile> files)
            throws IOException {
        byte[] buffer = new byte[putBytes];
        for (int page = 0; page < pages; page += 7) {
            PageStore.Outcome outcome =
                    store.read(file(files, page), page % PAGES_OF_FILE, 0, buffer, 0, putBytes);
            if (outcome != PageStore.Outcome.HIT) {
                throw new IOException(
                        "Expected %s to have page %d after the restart, found %s"
                                .formatted(name, page, outcome));
            }
            Content.check(page * 1024L, buffer, putBytes);
        }
    }

    private static long heapBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
