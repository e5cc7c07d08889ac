package io.stele.engine.garbage;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.DataFileName;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A queue of ended transactions whose uncommitted workers' files are deleted from the store: files
 * of failed or late attempts and of cancelled writes. Each transaction's files are deleted at once,
 * and again after a grace period, since a writer may not have noticed the end. A transaction whose
 * files cannot be deleted is tried again, as {@link DeletionQueue} says.
 *
 * <p>Thread-safe; {@link #run} blocks on the store. Files that are missed, because the process ends
 * or too many wait, are found at the next start.
 */
public final class TransactionSweeps {
    private static final int MAX_WAITING = 10_000; // the oldest beyond it wait for the next start

    private final long graceMillis;

    private final DeletionQueue<Sweep> sweeps = new DeletionQueue<>();

    TransactionSweeps(long graceMillis) {
        this.graceMillis = graceMillis;
    }

    /**
     * @param prefixes of the paths of a transaction's files, which no other file has
     * @param kept paths of the committed files; objects that belong to them, such as later deletion
     *     vectors, are not deleted
     */
    void add(List<String> prefixes, Set<String> kept) {
        if (sweeps.size() >= MAX_WAITING) {
            sweeps.removeFirst();
        }
        Set<String> stems = new HashSet<>();
        kept.forEach(path -> stems.add(DataFileName.stem(path)));
        sweeps.add(new Sweep(prefixes, stems, false), 0);
    }

    /**
     * Deletes the files that may be deleted now; blocks.
     *
     * @throws IOException after all were tried, or the store is taken to be unavailable
     */
    void run(ObjectStore store, long nowMillis) throws IOException {
        sweeps.run(nowMillis, _ -> true, sweep -> sweep(sweep, store, nowMillis), _ -> {});
    }

    private void sweep(Sweep sweep, ObjectStore store, long nowMillis) throws IOException {
        for (String prefix : sweep.prefixes) {
            for (ObjectEntry entry : store.list(prefix)) {
                if (!sweep.kept.contains(DataFileName.stem(entry.path()))) {
                    store.delete(entry.path());
                }
            }
        }
        if (!sweep.last) {
            sweeps.add(new Sweep(sweep.prefixes, sweep.kept, true), nowMillis + graceMillis);
        }
    }

    /**
     * @param kept the stems of the paths that are not deleted
     */
    private record Sweep(List<String> prefixes, Set<String> kept, boolean last) {
        private Sweep {
            prefixes = List.copyOf(prefixes);
            requireNonNull(kept, "kept is null");
        }
    }
}
