package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * An in-memory index of one table's files in one shard, by partition and with arrays of column
 * bounds, for file pruning in scan planning. It finds the files that may have rows of a predicate
 * by checking the partitions and, within matching partitions, two numbers per file and column. The
 * caller then checks the found files exactly.
 *
 * <p>It is built from an immutable list of files, or from the index of the previous list if few
 * files differ: then the arrays are shared, removed files are marked, and new files are listed
 * separately.
 *
 * <p>Invariant: files that {@link #select} omits have no row of the predicate. Immutable except for
 * columns, which are built on demand; thread-safe.
 *
 * @param <F> files, the same object as long as their entry is the same
 */
public final class FilePruningIndex<F> {
    private static final long OTHER_BYTES = 1024;

    /** Checking this many changed files costs less than building a new index. */
    private static final int MIN_CHANGES = 64;

    private final List<F> files;
    private final Function<F, FileEntry> entries;
    private final PruningColumns<F> columns;
    private final BitSet gone;
    private final List<F> added;

    private FilePruningIndex(
            List<F> files,
            Function<F, FileEntry> entries,
            PruningColumns<F> columns,
            BitSet gone,
            List<F> added) {
        this.files = files;
        this.entries = entries;
        this.columns = columns;
        this.gone = gone;
        this.added = added;
    }

    /**
     * @param files an immutable list, compared by identity
     */
    public static <F> FilePruningIndex<F> of(List<F> files, Function<F, FileEntry> entries) {
        requireNonNull(files, "files is null");
        requireNonNull(entries, "entries is null");
        return new FilePruningIndex<>(
                files, entries, new PruningColumns<>(files, entries), new BitSet(), List.of());
    }

    /** Whether these are the files of a list. */
    public boolean isOf(List<F> list) {
        return files == list;
    }

    /** The index of another list of files, which has most of the present files. */
    public FilePruningIndex<F> advanced(List<F> list) {
        Set<F> others = Collections.newSetFromMap(new IdentityHashMap<>(list.size()));
        others.addAll(list);
        BitSet newGone = new BitSet();
        for (int i = 0; i < columns.size(); i++) {
            if (!others.remove(columns.file(i))) {
                newGone.set(i);
            }
        }
        int changes = newGone.cardinality() + others.size();
        if (changes > Math.max(MIN_CHANGES, Math.sqrt(list.size()))) {
            return of(list, entries);
        }
        List<F> newAdded = new ArrayList<>(others.size());
        for (F file : list) {
            if (others.contains(file)) {
                newAdded.add(file);
            }
        }
        return new FilePruningIndex<>(list, entries, columns, newGone, newAdded);
    }

    /**
     * The files that may have rows of a predicate, in no particular order.
     *
     * @param partitions selects encoded values of partition columns; files without partition values
     *     are always considered
     * @param schemaVersion of the predicate, by which files of other versions are not excluded
     */
    public List<F> select(PartitionFilter partitions, ScanPredicate predicate, int schemaVersion) {
        List<F> found = new ArrayList<>();
        columns.select(partitions, predicate, schemaVersion, gone, found);
        for (F file : added) {
            FileEntry entry = entries.apply(file);
            if (entry.partition().map(partitions::matches).orElse(true)) {
                found.add(file);
            }
        }
        return found;
    }

    /** The number of removed and new files since the arrays were built. */
    int changes() {
        return gone.cardinality() + added.size();
    }

    /**
     * The approximate memory of the index, in bytes, without the files. It grows when {@link
     * #select} gets a condition on another column.
     */
    public long retainedBytes() {
        return OTHER_BYTES + columns.retainedBytes() + 4L * added.size();
    }

    static boolean isPrunable(ColumnDomain domain) {
        return !domain.nullAllowed() && !domain.ranges().isEmpty() && !domain.containsNaN();
    }
}
