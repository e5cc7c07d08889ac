package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.paimon.Snapshot;
import org.apache.paimon.Snapshot.CommitKind;
import org.apache.paimon.catalog.SnapshotCommit;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.partition.PartitionStatistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.source.ScanMode;
import org.apache.paimon.utils.SnapshotManager;
import org.jspecify.annotations.Nullable;

/**
 * A guard around the creation of one statement's snapshot, which tracks its outcome, and refuses it
 * after conflicting commits since the statement's read. Confined to the thread that commits.
 *
 * <p>The check is exact, since a snapshot is created only if absent, so that no other snapshot
 * comes between. An attempt whose answer is lost is looked for before the next attempt, and once
 * more when the next attempt creates its snapshot, since it may have arrived in between.
 */
final class CommitGuard {
    /** A partition and bucket that the statement writes; null: any bucket of the partition. */
    private record Place(BinaryRow partition, @Nullable Integer bucket) {}

    private final FileStoreTable table;
    private final String commitUser;
    private final long identifier;
    private final Optional<ReadSnapshot> read;
    private final Set<Place> places = new HashSet<>();
    private long before; // the snapshot before the earliest attempt; 0: there was none
    private long checked = -1; // no other commit conflicts up to this snapshot; -1: not checked
    private long unknownId; // the last snapshot that was perhaps created
    private boolean isUnknown;
    private OptionalLong committed = OptionalLong.empty();
    private @Nullable TrinoException conflict;

    /**
     * @param identifier of this commit, among those of the user
     * @param read the snapshot after which no other commit may have written where the statement
     *     writes; empty: other commits may
     * @param wholePartitions whether a bucket depends on the others of its partition
     */
    CommitGuard(
            FileStoreTable table,
            String commitUser,
            long identifier,
            Optional<ReadSnapshot> read,
            List<CommitMessage> messages,
            boolean wholePartitions) {
        this.table = requireNonNull(table, "table is null");
        this.commitUser = requireNonNull(commitUser, "commitUser is null");
        this.identifier = identifier;
        this.read = requireNonNull(read, "read is null");
        for (CommitMessage message : messages) {
            places.add(new Place(message.partition(), wholePartitions ? null : message.bucket()));
        }
    }

    /**
     * Notes the latest snapshot before the first attempt.
     *
     * @param latest the latest snapshot; empty: there is none
     */
    void start(OptionalLong latest) {
        before = latest.orElse(0);
    }

    /**
     * Looks for the snapshot of an attempt whose answer was lost. If another snapshot has its id,
     * the attempt has failed for good.
     *
     * @return the snapshot, which counts as committed from now on; empty: not found
     */
    OptionalLong find() throws IOException {
        SnapshotManager snapshots = table.snapshotManager();
        Long latest = snapshots.latestSnapshotId();
        if (latest != null) {
            committed = findOwn(latest, snapshots);
            if (committed.isEmpty() && latest >= unknownId) {
                isUnknown = false;
            }
        }
        return committed;
    }

    private OptionalLong findOwn(long last, SnapshotManager snapshots) throws IOException {
        for (long id = before + 1; id <= last; id++) {
            if (isOwn(snapshots.tryGetSnapshot(id))) {
                return OptionalLong.of(id);
            }
        }
        return OptionalLong.empty();
    }

    private boolean isOwn(Snapshot snapshot) {
        return snapshot.commitUser().equals(commitUser)
                && snapshot.commitIdentifier() == identifier;
    }

    /** Whether an attempt whose answer was lost has perhaps created a snapshot. */
    boolean isUnknown() {
        return isUnknown;
    }

    String commitUser() {
        return commitUser;
    }

    /** The last snapshot that was created. */
    OptionalLong committed() {
        return committed;
    }

    /** The reason why the statement can never be committed; null: there is none. */
    @Nullable TrinoException conflict() {
        return conflict;
    }

    /** Paimon's creation of snapshots under this guard. */
    SnapshotCommit over(SnapshotCommit commit, SnapshotManager snapshots) {
        return new SnapshotCommit() {
            @Override
            public boolean commit(
                    Snapshot snapshot, String branch, List<PartitionStatistics> statistics)
                    throws Exception {
                check(snapshot, snapshots);
                boolean created;
                try {
                    created = commit.commit(snapshot, branch, statistics);
                } catch (Exception e) {
                    // A refusal is definite, unless the outcome of an earlier try within the store
                    // is unknown
                    if (!(e instanceof AccessDeniedException) || e.getSuppressed().length > 0) {
                        isUnknown = true;
                        unknownId = Math.max(unknownId, snapshot.id());
                        before = Math.min(before, snapshot.id() - 1);
                    }
                    throw e;
                }
                if (created) {
                    committed = OptionalLong.of(snapshot.id());
                }
                return created;
            }

            @Override
            public void close() throws Exception {
                commit.close();
            }
        };
    }

    private void check(Snapshot mine, SnapshotManager snapshots) throws IOException {
        if (isUnknown) {
            OptionalLong earlier = findOwn(mine.id() - 1, snapshots);
            if (earlier.isPresent()) {
                throw new IOException(
                        "The commit exists as snapshot %s".formatted(earlier.getAsLong()));
            }
        }
        if (read.isPresent() && mine.commitKind() != CommitKind.COMPACT) {
            check(read.get(), mine, snapshots);
        }
    }

    private void check(ReadSnapshot seen, Snapshot mine, SnapshotManager snapshots) {
        if (mine.id() <= seen.id()) {
            throw conflict(
                    seen,
                    "%s rolled back to snapshot %s".formatted(table.location(), mine.id() - 1));
        }
        if (checked < 0) {
            checkRead(seen, snapshots);
            checked = seen.id();
        }
        for (long id = checked + 1; id < mine.id(); id++) {
            Snapshot other = snapshot(seen, id, snapshots);
            if (!other.commitUser().equals(commitUser) && touches(other)) {
                throw conflict(
                        seen,
                        "snapshot %s of %s, committed by %s to the same buckets"
                                .formatted(id, table.location(), other.commitUser()));
            }
            checked = id;
        }
    }

    private void checkRead(ReadSnapshot seen, SnapshotManager snapshots) {
        if (seen.id() == 0) {
            return;
        }
        Snapshot present = snapshot(seen, seen.id(), snapshots);
        if (seen.millis().isPresent() && present.timeMillis() != seen.millis().getAsLong()) {
            throw conflict(
                    seen,
                    "another snapshot %s of %s, after a rollback"
                            .formatted(seen.id(), table.location()));
        }
        if (seen.isOfRows() && table.coreOptions().batchScanSkipLevel0()) {
            checkCompacted(present);
        }
    }

    /**
     * Throws if files of written buckets wait for a compaction: their rows were not read, and may
     * be newer than the rows that were read.
     */
    private void checkCompacted(Snapshot present) {
        Iterator<ManifestEntry> waiting =
                table.store()
                        .newScan()
                        .withSnapshot(present)
                        .withPartitionFilter(
                                places.stream().map(Place::partition).distinct().toList())
                        .withLevel(0)
                        .dropStats()
                        .readFileIterator();
        while (waiting.hasNext()) {
            if (isWritten(waiting.next())) {
                conflict =
                        new TrinoException(
                                StandardErrorCode.TRANSACTION_CONFLICT,
                                "Expected buckets without files that wait for a compaction, since their rows are not seen before, found some in snapshot %s of %s: run the statement after the next compaction, or CALL system.compact"
                                        .formatted(present.id(), table.location()));
                throw conflict;
            }
        }
    }

    private Snapshot snapshot(ReadSnapshot seen, long id, SnapshotManager snapshots) {
        try {
            return snapshots.tryGetSnapshot(id);
        } catch (FileNotFoundException e) {
            throw conflict(
                    seen,
                    "that snapshot %s of %s has expired, so that it cannot be told"
                            .formatted(id, table.location()));
        }
    }

    private TrinoException conflict(ReadSnapshot seen, String found) {
        TrinoException failure =
                new TrinoException(
                        StandardErrorCode.TRANSACTION_CONFLICT,
                        "Expected no change of the rows that the statement has read since snapshot %s, found %s"
                                .formatted(seen.id(), found));
        conflict = failure;
        return failure;
    }

    /** Whether the commit of a snapshot changed rows of buckets that the statement writes. */
    private boolean touches(Snapshot other) {
        if (other.commitKind() == CommitKind.COMPACT || other.commitKind() == CommitKind.ANALYZE) {
            return false;
        }
        Iterator<ManifestEntry> entries =
                table.store()
                        .newScan()
                        .withSnapshot(other)
                        .withKind(ScanMode.DELTA)
                        .dropStats()
                        .readFileIterator();
        while (entries.hasNext()) {
            if (isWritten(entries.next())) {
                return true;
            }
        }
        return false;
    }

    private boolean isWritten(ManifestEntry entry) {
        return places.contains(new Place(entry.partition(), null))
                || places.contains(new Place(entry.partition(), entry.bucket()));
    }
}
