package io.stele.engine.shard.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.ManifestChange;
import io.stele.engine.compaction.WritersOnlyChange;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.DeletionVectorSummary;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.DeletionVectorFile;
import io.stele.engine.manifest.FileEntries;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.manifest.WriterProgress;
import io.stele.engine.shard.StoreWait;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.write.WriterWindows;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.LostOwnershipException;
import io.stele.objectstore.ParallelWrites;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The publisher of the manifests of one shard. It creates one version after the other, and installs
 * each change when its version is durable.
 *
 * <p>A change is captured on the shard's context, so that the progress of the writers and the
 * deletion vectors are of one moment. It is stored on a background thread, and installed on the
 * context again. A failed store operation leaves the change at the head of the queue. {@link
 * #retry} tries it again under the same version number, and detects if the failed attempt had
 * reached the store after all.
 *
 * <p>The change of a table that is set aside is given up. If its last attempt failed, its version
 * may be in the store, or come late, and cannot be distinguished from that of another change. So a
 * version that changes no table is tried next: whichever of them the store has is the base of the
 * next change.
 *
 * <p>Invariant: versions are created one at a time, each from the one before it with this engine's
 * epoch. If another engine created the next version, this shard has lost its ownership and stops
 * serving.
 *
 * <p>Confined to the shard's execution context, except where noted.
 */
final class ManifestPublisher {
    /** So that listing the versions costs little compared with the writes of flushes. */
    private static final int VERSIONS_A_DELETION = 8;

    /**
     * Batches of changed writers in a version: some 8 bytes each, so that a version stays small.
     */
    private static final int MAX_CHANGED_BATCHES = 2048;

    /** About the memory of one deletion while it is stored: its ordinal and its LSN. */
    private static final int DELETION_BYTES = 16;

    private final TableGroupShard shard;
    private final ManifestStore store;
    private final TableFiles files;
    private final Executor background;
    private final ObsoleteFiles obsolete;
    private final Consumer<Exception> failed;
    private final Consumer<SteleException> ownershipLost;
    private final long epoch;
    private final Deque<Waiting> queue = new ArrayDeque<>();
    private Manifest current;
    private long writersNumber; // of the capture that the object of all writers has

    /**
     * The change of the last attempt if it failed: its version, or one of an earlier attempt of the
     * same change, may be there nevertheless.
     */
    private @Nullable ManifestChange unresolved;

    private boolean busy;
    private @Nullable Runnable install; // of a stored manifest, while the store does not answer
    private volatile long version; // of current, for status
    private volatile long nextDeletion; // the version from which on old ones are deleted

    /**
     * @param failed called on the context for each failed attempt, which is then repeated
     * @param ownershipLost called on the context when another engine owns the shard
     */
    ManifestPublisher(
            TableGroupShard shard,
            ManifestStore store,
            Manifest current,
            long epoch,
            TableFiles files,
            Executor background,
            ObsoleteFiles obsolete,
            Consumer<Exception> failed,
            Consumer<SteleException> ownershipLost) {
        this.shard = requireNonNull(shard, "shard is null");
        this.store = requireNonNull(store, "store is null");
        this.current = requireNonNull(current, "current is null");
        this.epoch = epoch;
        this.files = requireNonNull(files, "files is null");
        this.background = requireNonNull(background, "background is null");
        this.obsolete = requireNonNull(obsolete, "obsolete is null");
        this.failed = requireNonNull(failed, "failed is null");
        this.ownershipLost = requireNonNull(ownershipLost, "ownershipLost is null");
        this.version = current.version();
        this.nextDeletion = current.version() + VERSIONS_A_DELETION; // opening deleted some
    }

    Manifest current() {
        return current;
    }

    /** The version of the present manifest; any thread. */
    long version() {
        return version;
    }

    /**
     * Queues a change; completes on the context when it is installed, or fails when the shard does.
     */
    CompletableFuture<@Nullable Void> publish(ManifestChange change) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        queue.add(new Waiting(change, done));
        next();
        return done;
    }

    /** Whether no change waits or is on its way. */
    boolean isIdle() {
        return queue.isEmpty() && !busy;
    }

    /** Tries the head of the queue again if it failed. */
    void retry() {
        Runnable waiting = install;
        if (waiting == null) {
            next();
        } else {
            install = null;
            waiting.run();
        }
    }

    /** The shard failed: nothing is published any more. */
    void fail(SteleException cause) {
        List<Waiting> left = new ArrayList<>(queue);
        queue.clear();
        left.forEach(waiting -> waiting.done().completeExceptionally(cause));
    }

    private void next() {
        if (busy || shard.failure().isPresent()) {
            return;
        }
        giveUpSetAside();
        Waiting head = queue.peek();
        if (busy || head == null) {
            return;
        }
        Attempt attempt;
        try {
            attempt = capture(head.change());
        } catch (IOException | RuntimeException | Error thrown) {
            Exception broken = StoreWait.exception(thrown);
            if (StoreWait.isOutage(broken)) {
                failed.accept(broken);
                return; // the next tick tries again
            }
            setAside(head, broken);
            next();
            return;
        }
        busy = true;
        try {
            background.execute(() -> store(attempt));
        } catch (RejectedExecutionException full) {
            busy = false; // the next tick tries again
        }
    }

    /**
     * Sets the table of the head aside, since a part of it cannot be used or named in a manifest.
     */
    private void setAside(Waiting head, Exception broken) {
        queue.remove(head);
        TableShard table = head.change().table();
        shard.setAside(table, "manifest of shard " + shard.id(), broken, shard.appliedLsn());
        head.done().completeExceptionally(refusal(head.change()).orElseThrow());
    }

    /**
     * Changes of tables that are set aside cannot be installed, and the files that they need may
     * never be returned: changes of other tables must not wait for them.
     */
    private void giveUpSetAside() {
        for (Waiting head = queue.peek(); head != null; head = queue.peek()) {
            Optional<SteleException> refusal = refusal(head.change());
            if (refusal.isEmpty()) {
                return;
            }
            queue.remove();
            head.done().completeExceptionally(refusal.get());
        }
    }

    /** The reason why the table of a change is set aside, if it is. */
    private Optional<SteleException> refusal(ManifestChange change) {
        return shard.refusal(change.table().schema().id());
    }

    private Attempt capture(ManifestChange head) throws IOException {
        boolean settles = unresolved != null && unresolved != head;
        ManifestChange change = settles ? new WritersOnlyChange(head.table()) : head;
        change.catchUp();
        CapturedWriters writers = captureWriters();
        List<ColumnFile> columnFiles = new ArrayList<>();
        if (change.savesDeletions()) {
            columnFiles.addAll(change.table().view().columnFiles());
        }
        columnFiles.addAll(change.newColumnFiles());
        Set<String> removed = change.removedFileIds();
        if (!removed.isEmpty()) {
            columnFiles.removeIf(file -> removed.contains(file.entry().fileId()));
        }
        Lsn historyLsn = new Lsn(change.table().historyLsn());
        return new Attempt(change, settles, current, writers, columnFiles, historyLsn);
    }

    /**
     * The writers that changed since the object with all writers; all writers if many have changed.
     */
    private CapturedWriters captureWriters() {
        WriterWindows.Capture changed = shard.writers().capture(writersNumber);
        int batches = 0;
        for (WriterProgress writer : changed.writers()) {
            batches += 1 + writer.batches().size();
        }
        return batches <= MAX_CHANGED_BATCHES
                ? new CapturedWriters(changed, false)
                : new CapturedWriters(shard.writers().capture(WriterWindows.NEVER), true);
    }

    /** On a background thread. */
    private void store(Attempt attempt) {
        try {
            Stored stored = write(attempt);
            shard.context().execute(() -> installed(attempt, stored));
            deleteOld(stored.manifest());
        } catch (LostOwnershipException lost) {
            shard.context()
                    .execute(
                            () -> {
                                SteleException cause =
                                        new SteleException(
                                                ErrorCode.UNAVAILABLE,
                                                String.valueOf(lost.getMessage()),
                                                lost);
                                shard.fail(cause);
                                busy = false;
                                ownershipLost.accept(cause);
                            });
        } catch (IOException | RuntimeException | Error thrown) {
            Exception broken = StoreWait.exception(thrown);
            shard.context()
                    .execute(
                            () -> {
                                busy = false; // a later tick tries again
                                unresolved = attempt.change();
                                failed.accept(broken);
                            });
        }
    }

    /**
     * Deletes old versions, after every {@link #VERSIONS_A_DELETION} versions; a failure is no
     * failure of the new version.
     */
    private void deleteOld(Manifest stored) {
        if (stored.version() < nextDeletion) {
            return;
        }
        nextDeletion = stored.version() + VERSIONS_A_DELETION;
        try {
            store.deleteOld();
        } catch (IOException | RuntimeException | Error notDeleted) {
            nextDeletion = 0; // after the next version
        }
    }

    private Stored write(Attempt attempt) throws IOException {
        ManifestChange change = attempt.change();
        Manifest base = attempt.base();
        List<WriterProgress> writers = attempt.writers().capture().writers();
        // Every record of this version was durable when it was applied, so the log reaches it
        ManifestEdit edit = base.edit().epoch(epoch).log(shard.log().durable());
        if (attempt.writers().all()) {
            edit.writersObject(store.writeWriters(base.version() + 1, epoch, writers));
        } else {
            edit.writers(writers);
        }
        Map<String, FileEntry> changed = storeDeletes(attempt.columnFiles());
        change.edit(base, edit, file -> changed.getOrDefault(file.entry().fileId(), file.entry()));
        if (change.savesDeletions()) {
            edit.history(change.table().schema().id(), attempt.historyLsn());
        }
        for (String removed : change.removedFileIds()) {
            edit.removeFile(removed);
        }
        for (FileEntry entry : changed.values()) {
            // A worker's file that is not flushed yet is in no manifest; its deletions are replayed
            // with it.
            Optional<FileEntry> drafted = edit.file(entry.fileId());
            if (drafted.isPresent()) {
                edit.replaceFile(drafted.get().withDeletionVector(entry.deletionVector()));
            }
        }
        Manifest next = edit.build();
        if (store.create(next)) {
            return Stored.of(next, base, true);
        }
        Manifest found = store.loadLatest().orElseThrow();
        if (found.version() == next.version() && found.epoch() == epoch) {
            return Stored.of(found, base, false); // an earlier attempt of ours got through
        }
        throw new LostOwnershipException(
                "Shard "
                        + shard.id()
                        + " expected to create manifest version "
                        + next.version()
                        + " in epoch "
                        + epoch
                        + ", found version "
                        + found.version()
                        + " created in epoch "
                        + found.epoch()
                        + ": another engine owns the shard");
    }

    /** The entries, by id, of files that have more deletions now than are stored. */
    private Map<String, FileEntry> storeDeletes(List<ColumnFile> columnFiles) throws IOException {
        Map<String, FileEntry> changed = new ConcurrentHashMap<>();
        try (ParallelWrites writes = ParallelWrites.to(files.store())) {
            for (ColumnFile file : columnFiles) {
                FileEntry entry = file.entry();
                int stored = entry.deletionVector().map(DeletionVectorFile::cardinality).orElse(0);
                int count = file.deletes().cardinality();
                if (count != stored) { // deletions are only ever added
                    writes.add(
                            () -> changed.put(entry.fileId(), storeDeletes(file)),
                            (long) count * DELETION_BYTES);
                }
            }
            writes.finish();
        }
        return changed;
    }

    private FileEntry storeDeletes(ColumnFile file) throws IOException {
        FileEntry entry = file.entry();
        String path =
                FileIds.folder(entry.tableId(), shard.id())
                        + entry.fileId()
                        + ".dv-"
                        + files.ids().next();
        DeletionVectorSummary summary = file.deletes().write(files.store(), path);
        return entry.withDeletionVector(
                Optional.of(
                        new DeletionVectorFile(
                                path,
                                summary.sizeBytes(),
                                summary.cardinality(),
                                summary.maxLsn())));
    }

    private void installed(Attempt attempt, Stored made) {
        if (attempt.settles()) {
            settled(attempt, made);
            return;
        }
        try {
            attempt.change().catchUp();
        } catch (IOException | RuntimeException | Error thrown) {
            Exception broken = StoreWait.exception(thrown);
            if (StoreWait.isOutage(broken) && refusal(attempt.change()).isEmpty()) {
                install = () -> installed(attempt, made);
                failed.accept(broken);
                return; // the next tick tries again; nothing else is published until then
            }
        }
        busy = false;
        Waiting head = queue.poll();
        if (head == null || head.change() != attempt.change()) {
            return; // the shard failed meanwhile
        }
        Manifest before = current;
        adopt(attempt, made);
        try {
            attempt.change().install();
        } catch (IOException | RuntimeException | Error broken) {
            setAside(head, StoreWait.exception(broken));
            obsolete.add(replacedPaths(before, made.difference()));
            next();
            return;
        }
        updateColumnFiles(attempt.change().table(), before, made.difference());
        obsolete.add(replacedPaths(before, made.difference()));
        head.done().complete(null);
        next();
    }

    /**
     * The version may be that of the change that was given up, which may have replaced files: their
     * table is not read until the next start, which finds this version.
     */
    private void settled(Attempt attempt, Stored made) {
        Manifest before = current;
        adopt(attempt, made);
        obsolete.add(replacedPaths(before, made.difference()));
        busy = false;
        next();
    }

    /** Makes a version the present one. */
    private void adopt(Attempt attempt, Stored stored) {
        current = stored.manifest();
        version = current.version();
        unresolved = null;
        if (stored.isOfAttempt()) {
            shard.writers().saved();
            if (attempt.writers().all()) {
                writersNumber = attempt.writers().capture().number();
            }
        } else if (!stored.manifest().writersObject().equals(attempt.base().writersObject())) {
            writersNumber = WriterWindows.NEVER; // an object of an earlier moment
        }
    }

    /** Gives the table's files their new entries. New files without deletions have them. */
    private static void updateColumnFiles(
            TableShard table, Manifest before, FileEntries.Difference difference) {
        Map<String, FileEntry> entries = new HashMap<>();
        for (FileEntry entry : difference.changed()) {
            boolean isOfTable = entry.tableId().equals(table.schema().id());
            if (isOfTable
                    && (entry.deletionVector().isPresent()
                            || before.files().find(entry.fileId()).isPresent())) {
                entries.put(entry.fileId(), entry);
            }
        }
        if (!entries.isEmpty()) {
            table.updateColumnFiles(
                    file -> {
                        FileEntry entry = entries.get(file.entry().fileId());
                        return entry == null ? file : file.withEntry(entry);
                    });
        }
    }

    private static List<String> replacedPaths(Manifest before, FileEntries.Difference difference) {
        List<String> paths = new ArrayList<>();
        for (String id : difference.removedIds()) {
            FileEntry old = before.files().find(id).orElseThrow();
            paths.addAll(old.immutablePaths());
            old.deletionVector().ifPresent(deletes -> paths.add(deletes.path()));
        }
        for (FileEntry entry : difference.changed()) {
            before.files()
                    .find(entry.fileId())
                    .flatMap(FileEntry::deletionVector)
                    .filter(deletes -> !entry.deletionVector().equals(Optional.of(deletes)))
                    .ifPresent(deletes -> paths.add(deletes.path()));
        }
        return paths;
    }

    private record Waiting(ManifestChange change, CompletableFuture<@Nullable Void> done) {}

    /**
     * An attempt to store a change.
     *
     * @param settles whether it is that of no table, to find out if the store has the version of a
     *     change that was given up
     */
    private record Attempt(
            ManifestChange change,
            boolean settles,
            Manifest base,
            CapturedWriters writers,
            List<ColumnFile> columnFiles,
            Lsn historyLsn) {}

    /**
     * A version that is durable.
     *
     * @param difference from the version before, which is present until this one is installed
     * @param isOfAttempt whether this attempt created it, and no earlier one
     */
    private record Stored(
            Manifest manifest, FileEntries.Difference difference, boolean isOfAttempt) {
        static Stored of(Manifest manifest, Manifest before, boolean isOfAttempt) {
            return new Stored(
                    manifest, manifest.files().differenceFrom(before.files()), isOfAttempt);
        }
    }

    /** All writers, or those that changed. */
    private record CapturedWriters(WriterWindows.Capture capture, boolean all) {}
}
