package io.stele.paimon.read;

import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ReadTally;
import io.stele.paimon.store.LakeFiles;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Files of a folder as a remote store with a page cache would give them, which counts requests, and
 * rounds: requests that are sent before a reader waits for one of them.
 */
public final class CountingLakeFiles implements LakeFiles {
    private long requests;
    private final List<String> wholeFiles = new CopyOnWriteArrayList<>();
    private long rounds;
    private long bytes;
    private long waitedRound; // the last one that a reader waited for

    private static Path path(String location) {
        return Path.of(location.startsWith("file:") ? location.substring(5) : location);
    }

    private void request(long length) {
        requests++;
        bytes += length;
        if (waitedRound == rounds) {
            rounds++;
        }
    }

    public long requests() {
        return requests;
    }

    /** The locations of the files that were read whole, in one request each. */
    public List<String> wholeFiles() {
        return List.copyOf(wholeFiles);
    }

    public long rounds() {
        return rounds;
    }

    public long bytes() {
        return bytes;
    }

    @Override
    public byte[] readFully(String location) throws IOException {
        byte[] all = Files.readAllBytes(path(location));
        wholeFiles.add(location);
        request(all.length);
        waitedRound = rounds;
        return all;
    }

    @Override
    public ObjectReader open(String location, long sizeBytes) {
        return new Reader(path(location));
    }

    private record Range(long start, long end, long round) {}

    private final class Reader implements ObjectReader {
        private final Path file;
        private final List<Range> fetched = new ArrayList<>();
        private byte[] content = {};

        Reader(Path file) {
            this.file = file;
        }

        private boolean isFetched(long start, long end) {
            long at = start;
            boolean moved = true;
            while (at < end && moved) {
                moved = false;
                for (Range range : fetched) {
                    if (range.start() <= at && range.end() > at) {
                        at = range.end();
                        moved = true;
                    }
                }
            }
            return at >= end;
        }

        private void waitFor(long start, long end) {
            for (Range range : fetched) {
                if (range.start() < end && range.end() > start) {
                    waitedRound = Math.max(waitedRound, range.round());
                }
            }
        }

        @Override
        public void read(long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            if (content.length == 0) {
                content = Files.readAllBytes(file);
            }
            if (offset + length > content.length) {
                throw new EOFException("Expected %s bytes at %s".formatted(length, offset));
            }
            if (!isFetched(offset, offset + length)) {
                request(length);
                fetched.add(new Range(offset, offset + length, rounds));
            }
            waitFor(offset, offset + length);
            System.arraycopy(content, (int) offset, buffer, bufferOffset, length);
        }

        @Override
        public boolean isPrefetching() {
            return true;
        }

        @Override
        public CompletableFuture<Long> prefetch(long offset, long length) {
            if (!isFetched(offset, offset + length)) {
                request(length);
                fetched.add(new Range(offset, offset + length, rounds));
            }
            return CompletableFuture.completedFuture(length);
        }

        @Override
        public ReadTally tally() {
            return ReadTally.NONE;
        }
    }
}
