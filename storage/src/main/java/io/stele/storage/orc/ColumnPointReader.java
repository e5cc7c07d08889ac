package io.stele.storage.orc;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.ParallelReads;
import java.io.IOException;
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
 * Reads single rows of column files by ordinal: the second half of a lookup by key in a column
 * tablet. Keeps the row groups that were read last, compressed as they are. Thread-safe.
 */
public final class ColumnPointReader {
    /**
     * The reader itself, by identity: it says which columns, and comparing those would cost more
     * than the lookup.
     */
    private record Key(ColumnFileReader file, RowGroup group) {}

    /** As {@link Key}, of the row indexes and the footer of a stripe. */
    private record StripeKey(ColumnFileReader file, int stripe) {}

    /**
     * What the metadata of stripes may have for each byte of row groups: some thousandths of it.
     */
    private static final int STRIPES_SHARE = 4;

    /** 16 MiB: row indexes are small, and without them a lookup has to wait once more. */
    private static final long MIN_STRIPES_BYTES = 16 << 20;

    /** 128 MiB: of the row groups that are read at once and not kept; in KiB. */
    private static final int UNKEPT_KIB = 128 << 10;

    private final SingleFlightCache<Key, RowGroupReader> groups;
    private final SingleFlightCache<StripeKey, StripeMetadata> stripes;
    private final Semaphore unkept = new Semaphore(UNKEPT_KIB);

    /**
     * @param nanoTime measures what reading row groups takes
     */
    public ColumnPointReader(String name, long maxBytes, LongSupplier nanoTime) {
        this.groups =
                new SingleFlightCache<>(name, maxBytes, RowGroupReader::weightBytes, nanoTime);
        this.stripes =
                new SingleFlightCache<>(
                        "stripe-metadata",
                        Math.max(MIN_STRIPES_BYTES, maxBytes / STRIPES_SHARE),
                        StripeMetadata::retainedBytes,
                        nanoTime);
    }

    /** Opens a file with the metadata of its stripes, as far as they come with it; blocks. */
    public ColumnFileReader open(
            ColumnFileReaders readers,
            ObjectStore store,
            FileEntry file,
            List<ColumnSchema> columns)
            throws IOException {
        Map<Integer, StripeMetadata> found = new HashMap<>();
        ColumnFileReader reader = readers.open(store, file, columns, found);
        found.forEach((stripe, metadata) -> stripes.put(new StripeKey(reader, stripe), metadata));
        return reader;
    }

    /** Opens a file that was just written, as {@link #open}, without reading. */
    public void written(
            ColumnFileReaders readers,
            ObjectStore store,
            FileEntry file,
            List<ColumnSchema> columns,
            WrittenEnd end)
            throws IOException {
        Optional<ColumnFileReader> reader = readers.written(store, file, columns, end);
        if (reader.isPresent() && reader.get().isParallel() && end.metadata().isPresent()) {
            reader.get()
                    .stripes(end.metadata().get())
                    .forEach(
                            (stripe, metadata) ->
                                    stripes.put(new StripeKey(reader.get(), stripe), metadata));
        }
    }

    /**
     * The reads of rows of a file, which do not need each other: one for each stripe, that reads
     * each row group once.
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
            int[] some = Arrays.copyOfRange(ordinals, first, end);
            reads.add(() -> readStripe(file, stripe, some, found));
            first = end;
        }
        return reads;
    }

    private void readStripe(
            ColumnFileReader file, int stripe, int[] ordinals, Consumer<ColumnRow> found)
            throws IOException {
        Map<RowGroup, int[]> byGroup = byGroup(file, ordinals);
        if (byGroup.size() == 1) {
            group(new Key(file, file.rowGroup(ordinals[0]))).readAll(ordinals, found);
            return;
        }
        // Past the cache: row groups of many keys would drive out those of each other.
        Set<Integer> wanted =
                byGroup.keySet().stream().map(RowGroup::index).collect(Collectors.toSet());
        int kib = (int) Math.clamp(file.weightBytes(stripe, wanted.size()) >> 10, 1, UNKEPT_KIB);
        unkept.acquireUninterruptibly(kib);
        try {
            RowGroupReader reader = file.openRowGroups(stripe, wanted, metadata(file, stripe));
            for (int[] some : byGroup.values()) {
                reader.readAll(some, found);
            }
        } finally {
            unkept.release(kib);
        }
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

    private StripeMetadata metadata(ColumnFileReader file, int stripe) throws IOException {
        return stripes.get(new StripeKey(file, stripe), () -> file.readStripeMetadata(stripe));
    }

    /**
     * The row at {@code ordinal} of {@code file}; keep the reader open between calls, since its row
     * groups are kept by it.
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

    /** Forgets the row groups of a file that was deleted. */
    public void forget(String path) {
        groups.removeIf(key -> key.file().path().equals(path));
        stripes.removeIf(key -> key.file().path().equals(path));
    }

    public CacheStatistics statistics() {
        return groups.statistics();
    }

    /** Of the metadata of stripes. */
    public CacheStatistics stripeStatistics() {
        return stripes.statistics();
    }
}
