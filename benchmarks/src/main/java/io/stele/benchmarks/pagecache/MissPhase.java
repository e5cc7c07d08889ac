package io.stele.benchmarks.pagecache;

import alluxio.client.file.CacheContext;
import alluxio.client.file.cache.PageId;
import alluxio.file.ByteArrayTargetBuffer;
import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageCache;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The phase of the page cache benchmark that counts the loads of a page that eight readers miss at
 * once. Each load takes 20 ms.
 */
final class MissPhase {
    private static final int READERS = 8;
    private static final int PAGES = 10;
    private static final int LOAD_MILLIS = 20;

    private final ExecutorService executor;

    MissPhase(ExecutorService executor) {
        this.executor = executor;
    }

    /** The load of one page, by any of the caches. */
    private interface Miss {
        void read(long page, AtomicInteger loads) throws IOException;
    }

    /** Loads of a page through the cache: the most of ten pages. */
    int cached(PageCache cache, CachedFile file) throws Exception {
        return most(
                (page, loads) ->
                        cache.read(
                                file,
                                page * cache.pageBytes() + 100,
                                new byte[4096],
                                0,
                                4096,
                                (offset, buffer, at, length) -> {
                                    loads.incrementAndGet();
                                    pause();
                                    Content.fill(offset, buffer, at, length);
                                }));
    }

    /** The same by Alluxio's own get-and-load. */
    int alone(AlluxioPageStore store, CachedFile file) throws Exception {
        return most(
                (page, loads) -> {
                    byte[] target = new byte[4096];
                    PageId id = store.id(file, page);
                    store.manager()
                            .getAndLoad(
                                    id,
                                    96,
                                    target.length,
                                    new ByteArrayTargetBuffer(target, 0),
                                    CacheContext.defaults(),
                                    () -> {
                                        loads.incrementAndGet();
                                        byte[] bytes = new byte[store.pageBytes()];
                                        try {
                                            pause();
                                        } catch (InterruptedIOException e) {
                                            throw new IllegalStateException(e);
                                        }
                                        Content.fill(page * bytes.length, bytes, 0, bytes.length);
                                        return bytes;
                                    });
                });
    }

    private int most(Miss miss) throws Exception {
        int most = 0;
        for (long page = 0; page < PAGES; page++) {
            AtomicInteger loads = new AtomicInteger();
            CyclicBarrier start = new CyclicBarrier(READERS);
            List<Future<?>> readers = new ArrayList<>();
            long missed = page;
            for (int i = 0; i < READERS; i++) {
                readers.add(
                        executor.submit(
                                () -> {
                                    start.await();
                                    miss.read(missed, loads);
                                    return null;
                                }));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
            most = Math.max(most, loads.get());
        }
        return most;
    }

    private static void pause() throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(LOAD_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while a load takes its time");
        }
    }
}
