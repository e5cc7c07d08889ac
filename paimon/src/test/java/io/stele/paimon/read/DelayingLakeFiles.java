package io.stele.paimon.read;

import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ReadTally;
import io.stele.paimon.store.LakeFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Files of a folder as a remote store with a page cache in memory would give them: each request
 * takes a time, and requests of one reader run at once. Thread-safe.
 */
public final class DelayingLakeFiles implements LakeFiles {
    private final long delayMillis;

    public DelayingLakeFiles(long delayMillis) {
        this.delayMillis = delayMillis;
    }

    private static Path path(String location) {
        return Path.of(location.startsWith("file:") ? location.substring(5) : location);
    }

    private CompletableFuture<Void> request() {
        return new CompletableFuture<Void>()
                .completeOnTimeout(null, delayMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public byte[] readFully(String location) throws IOException {
        request().join();
        return Files.readAllBytes(path(location));
    }

    @Override
    public ObjectReader open(String location, long sizeBytes) throws IOException {
        return new Reader(Files.readAllBytes(path(location)));
    }

    private record Range(long start, long end, CompletableFuture<Void> arrival) {}

    private final class Reader implements ObjectReader {
        private final byte[] content;
        private final List<Range> ranges = new ArrayList<>();

        Reader(byte[] content) {
            this.content = content;
        }

        private CompletableFuture<Void> ask(long start, long end) {
            for (Range range : ranges) {
                if (range.start() <= start && range.end() >= end) {
                    return range.arrival();
                }
            }
            Range range = new Range(start, end, request());
            ranges.add(range);
            return range.arrival();
        }

        @Override
        public void read(long offset, byte[] buffer, int bufferOffset, int length) {
            CompletableFuture<Void> arrival;
            synchronized (this) {
                arrival = ask(offset, offset + length);
            }
            arrival.join();
            System.arraycopy(content, (int) offset, buffer, bufferOffset, length);
        }

        @Override
        public boolean isPrefetching() {
            return true;
        }

        @Override
        public synchronized CompletableFuture<Long> prefetch(long offset, long length) {
            return ask(offset, offset + length).thenApply(_ -> length);
        }

        @Override
        public ReadTally tally() {
            return ReadTally.NONE;
        }
    }
}
