package io.stele.connector.read;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.sidecar.CacheUse;
import io.stele.storage.format.ChecksummedFile;
import io.stele.storage.format.FileChecksums;
import io.stele.storage.objectstore.ObjectReader;
import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;
import java.util.Optional;

/**
 * What is kept of the column files that were read before: their checksums, and their last bytes
 * with postscript, footer and stripe statistics, so that a split costs no read before its first
 * stripe. Files never change, so nothing is ever invalidated. Thread-safe.
 */
public final class FileTails {
    /**
     * 16 KiB holds the tail of most files and is what trino-orc asks for first; larger tails are
     * loaded whole once.
     */
    private static final int FIRST_READ_BYTES = 16 * 1024;

    /** Checksums of files of 256 GiB together. */
    private static final long CHECKSUMS_BYTES = 32L << 20;

    /** The warehouse in the ways it can be read, opened when it is first used. */
    public interface Warehouses {
        ObjectStore open(CacheUse use) throws IOException;
    }

    private final Warehouses warehouses;
    private final SingleFlightCache<Key, byte[]> tails;
    private final SingleFlightCache<String, FileChecksums> checksums;

    public FileTails(Warehouses warehouses, long maxBytes) {
        this.warehouses = requireNonNull(warehouses, "warehouses is null");
        this.tails = new SingleFlightCache<>("orc-tails", maxBytes, tail -> tail.length + 128L);
        this.checksums =
                new SingleFlightCache<>(
                        "file-checksums", CHECKSUMS_BYTES, FileChecksums::retainedBytes);
    }

    /**
     * The file of a split, whose reads are checked if it has checksums.
     *
     * @param use of the data page cache
     */
    ChecksummedFile open(SteleFileSplit split, CacheUse use) throws IOException {
        ObjectStore store = warehouses.open(use);
        String path = split.path();
        ObjectReader reader = store.open(path, split.sizeBytes());
        if (reader.isPrefetching() && tails.peek(new Key(path, FIRST_READ_BYTES)).isEmpty()) {
            // While the checksums are read
            reader.prefetch(Math.max(0, split.sizeBytes() - FIRST_READ_BYTES), FIRST_READ_BYTES);
        }
        Optional<FileChecksums> sums = Optional.empty();
        if (split.checksumBlockBytes().isPresent()) {
            int blockBytes = split.checksumBlockBytes().getAsInt();
            sums =
                    Optional.of(
                            checksums.get(
                                    path,
                                    () ->
                                            FileChecksums.load(
                                                    store, path, split.sizeBytes(), blockBytes)));
        }
        return new ChecksummedFile(store, reader, path, split.sizeBytes(), sums);
    }

    /** Whether it is worth to find out what will be read of a split's file. */
    boolean isPrefetching(SteleFileSplit split, CacheUse use) throws IOException {
        return warehouses.open(use).open(split.path(), split.sizeBytes()).isPrefetching();
    }

    /** At least the last {@code length} bytes of a file, or all of a smaller one. */
    byte[] load(ChecksummedFile file, int length) throws IOException {
        Key key = new Key(file.path(), Math.max(wanted(file, length), FIRST_READ_BYTES));
        return tails.get(key, () -> read(file, length));
    }

    /** The same, past what is kept. */
    static byte[] read(ChecksummedFile file, int length) throws IOException {
        byte[] tail = new byte[wanted(file, length)];
        file.read(file.sizeBytes() - tail.length, tail, 0, tail.length);
        return tail;
    }

    private static int wanted(ChecksummedFile file, int length) {
        return (int) Math.min(file.sizeBytes(), Math.max(length, FIRST_READ_BYTES));
    }

    public CacheStatistics statistics() {
        return tails.statistics();
    }

    private record Key(String path, int length) {}
}
