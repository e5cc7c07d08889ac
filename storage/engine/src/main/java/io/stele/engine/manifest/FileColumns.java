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
import java.util.function.Predicate;

/**
 * The columnar index of file entries, by partition and by bounds of columns, that successive {@link
 * FileSlices} share, for file pruning in scan planning. Immutable except for the bounds of columns,
 * which are computed when a predicate first uses them. Thread-safe.
 */
final class FileColumns<F> {
    /** The maximal number of columns whose bounds are stored; the first requested columns are. */
    static final int MAX_BOUNDS = 8;

    private static final Comparator<Optional<byte[]>> BY_PARTITION =
            (one, other) ->
                    one.isEmpty() || other.isEmpty()
                            ? Boolean.compare(one.isPresent(), other.isPresent())
                            : Arrays.compareUnsigned(one.get(), other.get());

    private final List<F> files; // by partition
    private final Function<F, FileEntry> entries;
    private final List<Optional<byte[]>> partitions = new ArrayList<>();
    private final int[] starts; // by partition, then the end
    private final ConcurrentMap<BoundsKey, FileBounds> bounds = new ConcurrentHashMap<>();

    FileColumns(List<F> files, Function<F, FileEntry> entries) {
        this.entries = entries;
        this.files = new ArrayList<>(files);
        this.files.sort(
                Comparator.comparing(file -> entries.apply(file).partition(), BY_PARTITION));
        int[] ends = new int[this.files.size() + 1];
        for (int i = 0; i < this.files.size(); i++) {
            Optional<byte[]> partition = entries.apply(this.files.get(i)).partition();
            if (partitions.isEmpty()
                    || BY_PARTITION.compare(partitions.getLast(), partition) != 0) {
                ends[partitions.size()] = i;
                partitions.add(partition);
            }
        }
        ends[partitions.size()] = this.files.size();
        this.starts = Arrays.copyOf(ends, partitions.size() + 1);
    }

    int size() {
        return files.size();
    }

    F file(int index) {
        return files.get(index);
    }

    long partitionBytes() {
        return partitions.stream()
                .mapToLong(partition -> 40 + partition.map(bytes -> bytes.length).orElse(0))
                .sum();
    }

    void select(
            Predicate<byte[]> wanted,
            ScanPredicate predicate,
            int schemaVersion,
            BitSet gone,
            List<F> found) {
        List<FileBounds.Test> tests = new ArrayList<>();
        for (Map.Entry<Integer, ColumnDomain> column : predicate.domains().entrySet()) {
            if (FileSlices.isPrunable(column.getValue())) {
                bounds(column.getKey(), schemaVersion)
                        .ifPresent(of -> tests.add(of.test(column.getValue())));
            }
        }
        for (int slice = 0; slice < partitions.size(); slice++) {
            if (partitions.get(slice).map(wanted::test).orElse(true)) {
                select(starts[slice], starts[slice + 1], tests, gone, found);
            }
        }
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

    /** The key of stored bounds, which are only comparable within one schema version. */
    private record BoundsKey(int columnId, int schemaVersion) {}
}
