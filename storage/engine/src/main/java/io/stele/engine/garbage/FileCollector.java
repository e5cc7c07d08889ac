package io.stele.engine.garbage;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.shard.maintenance.ObsoleteFiles;
import io.stele.engine.snapshot.Readers;
import io.stele.objectstore.ObjectEntry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The garbage collector of a node's data files in the object store, run in the background. It
 * deletes files that a newer manifest has replaced, once every earlier reader has ended, and files
 * that a transaction did not commit. After a grace period it deletes unreferenced files found at a
 * start, and incomplete files that did not change in that time.
 *
 * <p>A file that could not be deleted is found again at the next start. Guarded by itself; {@link
 * #collect} blocks on the store and runs on one background thread at a time.
 */
public final class FileCollector implements ObsoleteFiles {
    private final TableFiles files;
    private final Readers readers;
    private final long graceMillis;

    @GuardedBy("this")
    private final Deque<Obsolete> obsolete = new ArrayDeque<>();

    private final TransactionSweeps sweeps;

    @GuardedBy("this")
    private Set<String> orphans = new HashSet<>();

    @GuardedBy("this")
    private long orphansDueMillis;

    // 0, so due at once after a start
    @GuardedBy("this")
    private long abandonedDueMillis;

    public FileCollector(TableFiles files, Readers readers, Duration grace) {
        this.files = requireNonNull(files, "files is null");
        this.readers = requireNonNull(readers, "readers is null");
        this.graceMillis = grace.toMillis();
        this.sweeps = new TransactionSweeps(graceMillis);
    }

    @Override
    public synchronized void add(List<String> paths) {
        if (!paths.isEmpty()) {
            obsolete.add(new Obsolete(readers.now(), paths));
        }
    }

    /** The paths of replaced files that wait for their readers to end. */
    public synchronized List<String> waiting() {
        return obsolete.stream().flatMap(one -> one.paths().stream()).toList();
    }

    /**
     * Records the data files that are not in {@code referenced}, to delete them after the grace
     * period. Files that workers create later are not affected.
     *
     * @param objects all data files, listed before this engine wrote any
     * @param unknown tests for folders whose needed files are unknown, which are skipped
     */
    public void findOrphans(
            List<ObjectEntry> objects,
            Set<String> referenced,
            Predicate<String> unknown,
            long nowMillis) {
        Set<String> found = new HashSet<>();
        for (ObjectEntry entry : objects) {
            String folder = entry.path().substring(0, entry.path().lastIndexOf('/') + 1);
            if (!referenced.contains(entry.path()) && !unknown.test(folder)) {
                found.add(entry.path());
            }
        }
        synchronized (this) {
            orphans = found;
            orphansDueMillis = nowMillis + graceMillis;
        }
    }

    /** Keeps files that were recorded as orphans, since they are about to be used. */
    public synchronized void adopt(List<String> paths) {
        paths.forEach(orphans::remove);
    }

    /**
     * Registers an ended transaction, whose files may be deleted if they are not in {@code kept}.
     *
     * @param prefixes of the paths of the transaction's files
     */
    public void sweep(List<String> prefixes, Set<String> kept) {
        sweeps.add(prefixes, kept);
    }

    /** Deletes the files that may be deleted now; blocks. */
    public void collect(long nowMillis) throws IOException {
        sweeps.run(files.store(), nowMillis);
        for (String path : due(nowMillis)) {
            files.store().delete(path);
            files.forget(path);
        }
        if (isAbandonedDue(nowMillis)) {
            files.store().deleteAbandoned(Instant.ofEpochMilli(nowMillis - graceMillis));
        }
    }

    private synchronized boolean isAbandonedDue(long nowMillis) {
        if (nowMillis < abandonedDueMillis) {
            return false;
        }
        abandonedDueMillis = nowMillis + graceMillis;
        return true;
    }

    private synchronized List<String> due(long nowMillis) {
        Set<String> paths = new HashSet<>();
        while (!obsolete.isEmpty() && readers.allGoneSince(obsolete.peek().number())) {
            paths.addAll(obsolete.remove().paths());
        }
        if (nowMillis >= orphansDueMillis) {
            paths.addAll(orphans);
            orphans = new HashSet<>();
        }
        return List.copyOf(paths);
    }

    private record Obsolete(long number, List<String> paths) {}
}
