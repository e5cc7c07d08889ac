package io.stele.engine.manifest;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * The columnar index of file entries, by partition and by bounds of columns, that successive {@link
 * FilePruningIndex} share, for file pruning in scan planning. Immutable except for the bounds of
 * columns, which are computed when a predicate first uses them. Thread-safe.
 */
final class PruningColumns<F> {
    /** The maximal number of columns whose bounds are stored; the first requested columns are. */
    private static final int MAX_BOUNDS = 8;

    /** Up to this number, each is tested, which is as fast as finding the ranges. */
    private static final int FEW_PARTITIONS = 32;

    private static final long REFERENCE_BYTES = 4;
    private static final long BOUNDS_BYTES = 16; // two numbers

    private static final Comparator<Optional<byte[]>> BY_PARTITION =
            (one, other) ->
                    one.isEmpty() || other.isEmpty()
                            ? Boolean.compare(one.isPresent(), other.isPresent())
                            : Arrays.compareUnsigned(one.get(), other.get());

    private final List<F> files; // by partition
    private final Function<F, FileEntry> entries;
    private final List<Optional<byte[]>> partitions = new ArrayList<>();
    private final int[] starts; // by partition, then the end
    private final long partitionBytes;
    private final ConcurrentMap<BoundsKey, FileBounds> bounds = new ConcurrentHashMap<>();

    PruningColumns(List<F> files, Function<F, FileEntry> entries) {
        this.entries = entries;
        List<Placed<F>> placed = new ArrayList<>(files.size());
        files.forEach(file -> placed.add(new Placed<>(file, entries.apply(file).partition())));
        placed.sort(Comparator.comparing(Placed::partition, BY_PARTITION));
        this.files = new ArrayList<>(files.size());
        int[] ends = new int[files.size() + 1];
        for (int i = 0; i < placed.size(); i++) {
            this.files.add(placed.get(i).file);
            Optional<byte[]> partition = placed.get(i).partition;
            if (partitions.isEmpty()
                    || BY_PARTITION.compare(partitions.getLast(), partition) != 0) {
                ends[partitions.size()] = i;
                partitions.add(partition);
            }
        }
        ends[partitions.size()] = this.files.size();
        this.starts = Arrays.copyOf(ends, partitions.size() + 1);
        this.partitionBytes =
                partitions.stream()
                        .mapToLong(partition -> 40 + partition.map(bytes -> bytes.length).orElse(0))
                        .sum();
    }

    int size() {
        return files.size();
    }

    F file(int index) {
        return files.get(index);
    }

    /** The memory of the arrays, of bounds as far as they were requested. */
    long retainedBytes() {
        return files.size() * (REFERENCE_BYTES + BOUNDS_BYTES * bounds.size()) + partitionBytes;
    }

    void select(
            PartitionFilter wanted,
            ScanPredicate predicate,
            int schemaVersion,
            BitSet gone,
            List<F> found) {
        List<FileBounds.Test> tests = new ArrayList<>();
        for (Map.Entry<Integer, ColumnDomain> column : predicate.domains().entrySet()) {
            if (FilePruningIndex.isPrunable(column.getValue())) {
                bounds(column.getKey(), schemaVersion)
                        .ifPresent(of -> tests.add(of.test(column.getValue())));
            }
        }
        int next = 0;
        if (!partitions.isEmpty() && partitions.getFirst().isEmpty()) {
            select(starts[0], starts[1], tests, gone, found); // files without a partition
            next = 1;
        }
        List<PartitionFilter.Range> ranges =
                partitions.size() <= FEW_PARTITIONS
                        ? List.of(PartitionFilter.Range.ALL)
                        : wanted.ranges();
        for (PartitionFilter.Range range : ranges) {
            next = firstAtOrAfter(range.lower(), next);
            while (next < partitions.size() && isBelow(partition(next), range.upper())) {
                if (wanted.matches(partition(next))) {
                    select(starts[next], starts[next + 1], tests, gone, found);
                }
                next++;
            }
        }
    }

    private byte[] partition(int slice) {
        return partitions.get(slice).orElseThrow();
    }

    private static boolean isBelow(byte[] partition, Optional<byte[]> upper) {
        return upper.isEmpty() || Arrays.compareUnsigned(partition, upper.get()) < 0;
    }

    /** The first partition from a place on that is at or behind some bytes. */
    private int firstAtOrAfter(byte[] bound, int from) {
        int low = from;
        int high = partitions.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(partition(middle), bound) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void select(int from, int to, List<FileBounds.Test> tests, BitSet gone, List<F> found) {
        for (int i = from; i < to; i++) {
            boolean mayMatch = !gone.get(i);
            for (int test = 0; mayMatch && test < tests.size(); test++) {
                mayMatch = tests.get(test).mayMatch(i);
            }
            if (mayMatch) {
                found.add(files.get(i));
            }
        }
    }

    private Optional<FileBounds> bounds(int columnId, int schemaVersion) {
        BoundsKey key = new BoundsKey(columnId, schemaVersion);
        FileBounds known = bounds.get(key);
        if (known != null) {
            return Optional.of(known);
        }
        if (bounds.size() >= MAX_BOUNDS) {
            return Optional.empty();
        }
        FileBounds made = FileBounds.of(files, entries, columnId, schemaVersion);
        bounds.put(key, made);
        return Optional.of(made);
    }

    /** A file with its partition, which an entry would decode at each comparison. */
    private record Placed<F>(F file, Optional<byte[]> partition) {}

    /** The key of stored bounds, which are only comparable within one schema version. */
    private record BoundsKey(int columnId, int schemaVersion) {}
}
