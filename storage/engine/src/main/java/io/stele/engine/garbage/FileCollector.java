package io.stele.engine.garbage;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.shard.maintenance.ObsoleteFiles;
import io.stele.engine.snapshot.Readers;
import io.stele.objectstore.CloseAll;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The garbage collector of a node's data files in the object store, run in the background. It
 * deletes files that a newer manifest has replaced, once every earlier reader has ended, and files
 * that a transaction did not commit. After a grace period it deletes unused files that the {@link
 * OrphanSearch} of a start found, and incomplete files that did not change in that time.
 *
 * <p>A file that could not be deleted is tried again, as {@link DeletionQueue} says. Guarded by
 * itself; {@link #collect} blocks on the store and runs on one background thread at a time.
 */
public final class FileCollector implements ObsoleteFiles {
    private static final long ABANDONED_PAUSE_MILLIS = 60_000; // after a failure

    private final TableFiles files;
    private final Readers readers;
    private final long graceMillis;

    @GuardedBy("this")
    private final Deque<Obsolete> obsolete = new ArrayDeque<>();

    private final TransactionSweeps sweeps;
    private final DeletionQueue<Unused> unused = new DeletionQueue<>();

    // Those that are not adopted and not deleted
    @GuardedBy("this")
    private final Set<String> orphans = new HashSet<>();

    // During a search
    @GuardedBy("this")
    private @Nullable Set<String> adopted;

    @GuardedBy("this")
    private Predicate<String> findable = _ -> true;

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
     * Begins to note which files come to be used, until {@link #endSearch}.
     *
     * @param findable whether the search could take a path for that of an orphan
     */
    synchronized void beginSearch(Predicate<String> findable) {
        adopted = new HashSet<>();
        this.findable = findable;
    }

    /** Records the data files that a search found unused, to delete them after the grace period. */
    synchronized void found(List<String> paths, long nowMillis) {
        for (String path : paths) {
            if ((adopted == null || !adopted.contains(path)) && orphans.add(path)) {
                unused.add(new Unused(path, true), nowMillis + graceMillis);
            }
        }
    }

    synchronized void endSearch() {
        adopted = null;
    }

    /** Keeps files that are or will be recorded as orphans, since they are about to be used. */
    public synchronized void adopt(List<String> paths) {
        for (String path : paths) {
            orphans.remove(path);
            if (adopted != null && findable.test(path)) {
                adopted.add(path);
            }
        }
    }

    /**
     * Registers an ended transaction, whose files may be deleted if they are not in {@code kept}.
     *
     * @param prefixes of the paths of the transaction's files
     */
    public void sweep(List<String> prefixes, Set<String> kept) {
        sweeps.add(prefixes, kept);
    }

    /**
     * Deletes the files that may be deleted now; blocks.
     *
     * @throws IOException after all were tried, or the store is taken to be unavailable
     */
    public void collect(long nowMillis) throws IOException {
        CloseAll.of(
                () -> sweeps.run(files.store(), nowMillis),
                () -> deleteUnused(nowMillis),
                () -> deleteAbandoned(nowMillis));
    }

    private void deleteUnused(long nowMillis) throws IOException {
        synchronized (this) {
            while (!obsolete.isEmpty() && readers.allGoneSince(obsolete.peek().number())) {
                obsolete.remove().paths().forEach(path -> unused.add(new Unused(path, false), 0));
            }
        }
        unused.run(nowMillis, this::claim, this::delete, this::unclaim);
    }

    /** Whether a file is still unused. An orphan cannot be adopted from now on. */
    private synchronized boolean claim(Unused file) {
        return !file.isOrphan() || orphans.remove(file.path());
    }

    private synchronized void unclaim(Unused file) {
        if (file.isOrphan()) {
            orphans.add(file.path());
        }
    }

    private void delete(Unused file) throws IOException {
        files.store().delete(file.path());
        files.forget(file.path());
    }

    private void deleteAbandoned(long nowMillis) throws IOException {
        synchronized (this) {
            if (nowMillis < abandonedDueMillis) {
                return;
            }
            abandonedDueMillis = nowMillis + Math.min(graceMillis, ABANDONED_PAUSE_MILLIS);
        }
        files.store().deleteAbandoned(Instant.ofEpochMilli(nowMillis - graceMillis));
        synchronized (this) {
            abandonedDueMillis = nowMillis + graceMillis;
        }
    }

    private record Obsolete(long number, List<String> paths) {}

    /**
     * @param isOrphan whether it was found at a start, and may still be adopted
     */
    private record Unused(String path, boolean isOrphan) {}
}
