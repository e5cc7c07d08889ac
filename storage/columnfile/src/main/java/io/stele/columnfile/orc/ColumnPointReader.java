package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.protocol.schema.ColumnSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * A reader of single rows of column files by ordinal, the second half of a lookup by key in a
 * column tablet. It caches compressed row groups and stripe metadata; a miss reads the store.
 * Thread-safe.
 */
public final class ColumnPointReader {
    /**
     * The key of a row group. The file is compared by identity, because its reader determines the
     * columns, and comparing columns would cost more than the lookup.
     */
    private record Key(ColumnFileReader file, RowGroup group) {}

    /**
     * The key of a stripe's metadata. The path is sufficient, because the metadata are equal for
     * all readers of the file.
     */
    private record StripeKey(String path, int stripe) {}

    /**
     * The memory of row groups divided by this is the memory of stripe metadata, which are some
     * thousandths of the size of the row groups.
     */
    private static final int STRIPES_SHARE = 4;

    /** 16 MiB: row indexes are small, and without them a lookup has to wait once more. */
    private static final long MIN_STRIPES_BYTES = 16 << 20;

    /** 128 MiB: the memory of the row groups that all calls together read at once. */
    private static final long MAX_READING_BYTES = 128 << 20;

    /**
     * Row groups of a stripe that are read together bypass the cache if they weigh more than half
     * of it, because those of many keys would evict each other.
     */
    private static final int CACHED_SHARE = 2;

    private final SingleFlightCache<Key, RowGroupReader> groups;
    private final SingleFlightCache<StripeKey, StripeMetadata> stripes;
    private final LongSupplier nanoTime;
    private final long maxCachedBytes;
    private final int maxReadingKib;
    private final Semaphore readingKib; // fair, so that large row groups get their turn

    /**
     * @param nanoTime the clock that measures reads of row groups
     */
    public ColumnPointReader(String name, long maxBytes, LongSupplier nanoTime) {
        this(name, maxBytes, MAX_READING_BYTES, nanoTime);
    }

    /**
     * @param maxReadingBytes memory of the row groups that are read at once; a single one may be
     *     larger
     */
    ColumnPointReader(String name, long maxBytes, long maxReadingBytes, LongSupplier nanoTime) {
        this.groups =
                new SingleFlightCache<>(name, maxBytes, RowGroupReader::weightBytes, nanoTime);
        this.stripes =
                new SingleFlightCache<>(
                        "stripe-metadata",
                        Math.max(MIN_STRIPES_BYTES, maxBytes / STRIPES_SHARE),
                        StripeMetadata::retainedBytes,
                        nanoTime);
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.maxCachedBytes = maxBytes / CACHED_SHARE;
        this.maxReadingKib = (int) Math.clamp(maxReadingBytes >> 10, 1, Integer.MAX_VALUE);
        this.readingKib = new Semaphore(maxReadingKib, true);
    }

    /**
     * Opens a file, and caches the metadata of its stripes that were read with it; blocks.
     *
     * @param metadata as in {@link ColumnFileReaders}
     */
    public ColumnFileReader open(
            ColumnFileReaders readers,
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            ColumnFileReaders.MetadataSource metadata)
            throws IOException {
        Map<Integer, StripeMetadata> found = new HashMap<>();
        ColumnFileReader reader = readers.open(store, file, columns, metadata, found);
        found.forEach((stripe, its) -> stripes.put(new StripeKey(file.path(), stripe), its));
        return reader;
    }

    /** Opens a file that was just written, as {@link #open} does, without a read. */
    public void written(
            ColumnFileReaders readers,
            ObjectStore store,
            StoredColumnFile file,
            List<ColumnSchema> columns,
            WrittenFileMetadata end)
            throws IOException {
        Optional<ColumnFileReader> reader = readers.written(store, file, columns, end);
        if (reader.isPresent() && reader.get().isParallel() && end.metadata().isPresent()) {
            reader.get()
                    .stripes(end.metadata().get())
                    .forEach(
                            (stripe, metadata) ->
                                    stripes.put(new StripeKey(file.path(), stripe), metadata));
        }
    }

    /**
     * Independent reads of rows of a file, which read each row group once and may request several
     * row groups of a stripe together. Cached row groups are not read again. Row groups that were
     * read are cached, unless they are too many of one stripe.
     *
     * @param ordinals ascending
     * @param found may be called by several threads at once
     */
    public List<ParallelReads.Read> reads(
            ColumnFileReader file, int[] ordinals, Consumer<ColumnRow> found) {
        List<ParallelReads.Read> reads = new ArrayList<>();
        for (int first = 0; first < ordinals.length; ) {
            int stripe = file.rowGroup(ordinals[first]).stripe();
            int end = first + 1;
            while (end < ordinals.length && file.rowGroup(ordinals[end]).stripe() == stripe) {
                end++;
            }
            addReads(file, stripe, Arrays.copyOfRange(ordinals, first, end), found, reads);
            first = end;
        }
        return reads;
    }

    private void addReads(
            ColumnFileReader file,
            int stripe,
            int[] ordinals,
            Consumer<ColumnRow> found,
            List<ParallelReads.Read> reads) {
        Map<RowGroup, int[]> missing = new LinkedHashMap<>();
        byGroup(file, ordinals)
                .forEach(
                        (group, some) -> {
                            if (groups.peek(new Key(file, group)).isPresent()) {
                                reads.add(() -> readGroup(file, group, some, found));
                            } else {
                                missing.put(group, some);
                            }
                        });
        if (missing.size() > 1 && missing.size() * file.weightBytes(stripe, 1) > maxCachedBytes) {
            reads.add(() -> readPastCache(file, stripe, missing, found));
        } else if (missing.size() > 1 && file.isParallel()) {
            reads.add(() -> readGroups(file, stripe, missing, found));
        } else {
            missing.forEach((group, some) -> reads.add(() -> readGroup(file, group, some, found)));
        }
    }

    private void readGroup(
            ColumnFileReader file, RowGroup group, int[] ordinals, Consumer<ColumnRow> found)
            throws IOException {
        Key key = new Key(file, group);
        Optional<RowGroupReader> present = groups.find(key);
        if (present.isPresent()) {
            present.get().readAll(ordinals, found);
            return;
        }
        // Acquired around the load, not within: a reader that waits for another reader's load waits
        // for nothing else
        int kib = acquire(file.weightBytes(group.stripe(), 1));
        try {
            group(key).readAll(ordinals, found);
        } finally {
            readingKib.release(kib);
        }
    }

    /** Reads row groups of a stripe together for the cache; near row groups become one request. */
    private void readGroups(
            ColumnFileReader file,
            int stripe,
            Map<RowGroup, int[]> byGroup,
            Consumer<ColumnRow> found)
            throws IOException {
        int kib = acquire(file.weightBytes(stripe, byGroup.size()));
        try {
            long start = nanoTime.getAsLong();
            StripeMetadata metadata = metadata(file, stripe);
            Map<ByteRange, ByteBuffer> data =
                    file.readRowGroups(stripe, positions(byGroup), metadata);
            long readNanos = nanoTime.getAsLong() - start; // each alone would have waited as long
            for (Map.Entry<RowGroup, int[]> entry : byGroup.entrySet()) {
                long opening = nanoTime.getAsLong();
                RowGroupReader reader =
                        file.openRowGroups(stripe, Set.of(entry.getKey().index()), metadata, data);
                groups.putMissed(
                        new Key(file, entry.getKey()),
                        reader,
                        readNanos + nanoTime.getAsLong() - opening);
                reader.readAll(entry.getValue(), found);
            }
        } finally {
            readingKib.release(kib);
        }
    }

    private static Set<Integer> positions(Map<RowGroup, int[]> byGroup) {
        return byGroup.keySet().stream().map(RowGroup::index).collect(Collectors.toSet());
    }

    private void readPastCache(
            ColumnFileReader file,
            int stripe,
            Map<RowGroup, int[]> byGroup,
            Consumer<ColumnRow> found)
            throws IOException {
        Set<Integer> wanted = positions(byGroup);
        int kib = acquire(file.weightBytes(stripe, wanted.size()));
        try {
            RowGroupReader reader = file.openRowGroups(stripe, wanted, metadata(file, stripe));
            for (int[] some : byGroup.values()) {
                reader.readAll(some, found);
            }
        } finally {
            readingKib.release(kib);
        }
    }

    private int acquire(long bytes) {
        int kib = (int) Math.clamp(bytes >> 10, 1, maxReadingKib);
        readingKib.acquireUninterruptibly(kib);
        return kib;
    }

    private static Map<RowGroup, int[]> byGroup(ColumnFileReader file, int[] ordinals) {
        Map<RowGroup, int[]> groups = new LinkedHashMap<>();
        for (int first = 0; first < ordinals.length; ) {
            RowGroup group = file.rowGroup(ordinals[first]);
            int end = first + 1;
            while (end < ordinals.length && file.rowGroup(ordinals[end]).equals(group)) {
                end++;
            }
            groups.put(group, Arrays.copyOfRange(ordinals, first, end));
            first = end;
        }
        return groups;
    }

    /**
     * A cursor over some columns of a file that uses the cached metadata of stripes; see {@link
     * ColumnChunks}.
     */
    public ColumnChunks openChunks(
            ColumnFileReader file,
            DecodedColumns decoded,
            List<ColumnSchema> columns,
            boolean withLsn,
            List<WantedValues> filter) {
        return new ColumnChunks(
                file,
                decoded,
                columns,
                withLsn,
                filter,
                stripe -> stripes.find(new StripeKey(file.path(), stripe)));
    }

    private StripeMetadata metadata(ColumnFileReader file, int stripe) throws IOException {
        return stripes.get(
                new StripeKey(file.path(), stripe), () -> file.readStripeMetadata(stripe));
    }

    /**
     * The row at {@code ordinal} of {@code file}. Calls should use the same reader, because row
     * groups are cached for each reader.
     */
    public ColumnRow read(ColumnFileReader file, int ordinal) throws IOException {
        requireNonNull(file, "file is null");
        Key key = new Key(file, file.rowGroup(ordinal));
        return group(key).read(ordinal);
    }

    private RowGroupReader group(Key key) throws IOException {
        if (NonBlocking.isActive()) {
            Optional<RowGroupReader> present = groups.find(key);
            if (present.isEmpty()) {
                NonBlocking.check();
            }
            return present.orElseThrow();
        }
        return groups.get(key, () -> open(key.file(), key.group()));
    }

    private RowGroupReader open(ColumnFileReader file, RowGroup group) throws IOException {
        return file.isParallel()
                ? file.openRowGroups(
                        group.stripe(), Set.of(group.index()), metadata(file, group.stripe()))
                : file.openRowGroup(group);
    }

    /** Removes the row groups of a file that was deleted. */
    public void forget(String path) {
        groups.removeIf(key -> key.file().path().equals(path));
        stripes.removeIf(key -> key.path().equals(path));
    }

    public CacheStatistics statistics() {
        return groups.statistics();
    }

    /** The statistics of the cached metadata of stripes. */
    public CacheStatistics stripeStatistics() {
        return stripes.statistics();
    }
}
