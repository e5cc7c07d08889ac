package io.stele.benchmarks.pagecache;

import alluxio.client.file.cache.PageId;
import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageCache;
import io.stele.cache.page.PageCacheOptions;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageStore;
import io.stele.cache.page.segment.LocalCacheFiles;
import io.stele.cache.page.segment.SegmentPageStore;
import io.stele.cache.page.segment.SegmentStoreOptions;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * The factory of the compared readers of a file: positional reads, the page cache over its stores,
 * and Alluxio.
 */
final class Readers {
    private static final long SEED = 42;

    private Readers() {}

    /** A positional read of the file itself, which is open. */
    static Reader plain(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return new Reader() {
            @Override
            public String name() {
                return "positional read";
            }

            @Override
            public void read(long offset, byte[] buffer, int length) throws IOException {
                ByteBuffer target = ByteBuffer.wrap(buffer, 0, length);
                long next = offset;
                while (target.hasRemaining()) {
                    int count = channel.read(target, next);
                    if (count < 0) {
                        throw new EOFException("Expected more bytes at offset " + next);
                    }
                    next += count;
                }
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    /** Through the page cache, over a store that has all of the file. */
    static Reader cached(String name, PageStore store, CachedFile file, Executor executor)
            throws IOException {
        PageCache cache =
                new PageCache(store, PageCacheOptions.DEFAULT, System::nanoTime, executor);
        byte[] page = new byte[cache.pageBytes()];
        for (long number = 0; number * page.length < file.sizeBytes(); number++) {
            long start = number * page.length;
            int length = (int) Math.min(page.length, file.sizeBytes() - start);
            Content.fill(start, page, 0, length);
            if (!cache.put(file, number, page, 0, length)) {
                throw new IOException("Expected %s to keep page %d".formatted(name, number));
            }
        }
        return new Reader() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void read(long offset, byte[] buffer, int length) throws IOException {
                cache.read(
                        file,
                        offset,
                        buffer,
                        0,
                        length,
                        (from, target, at, count) -> {
                            throw new IOException("Expected a hit at offset " + from);
                        });
            }

            @Override
            public void close() {
                cache.close();
            }
        };
    }

    /** Alluxio's cache by itself: no checksum, no single flight, no metrics of ours. */
    static Reader alone(AlluxioPageStore store, CachedFile file) {
        return new Reader() {
            @Override
            public String name() {
                return "alluxio alone";
            }

            @Override
            public void read(long offset, byte[] buffer, int length) throws IOException {
                int done = 0;
                while (done < length) {
                    long page = (offset + done) / store.pageBytes();
                    int start = (int) (offset + done - page * store.pageBytes());
                    int count = Math.min(length - done, store.pageBytes() - start);
                    PageId id = store.id(file, page);
                    int found = store.manager().get(id, start, count, buffer, done);
                    if (found != count) {
                        throw new IOException("Expected a hit at offset " + (offset + done));
                    }
                    done += count;
                }
            }
        };
    }

    static SegmentPageStore segments(
            Path folder, PageGeometry geometry, long pages, Executor executor) {
        SegmentStoreOptions options =
                new SegmentStoreOptions(
                        geometry, SegmentStoreOptions.DEFAULT_UNITS_PER_SEGMENT, Map.of());
        return new SegmentPageStore(
                options,
                List.of(
                        new SegmentPageStore.Directory(
                                "bench", options.bytes(pages), () -> LocalCacheFiles.open(folder))),
                System::nanoTime,
                new SplittableRandom(SEED),
                executor);
    }
}
