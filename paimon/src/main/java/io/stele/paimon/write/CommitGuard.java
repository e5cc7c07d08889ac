package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
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
 * The last step of one statement's commit, which creates the snapshot: it watches what becomes of
 * it, and refuses snapshots that would hide what others have committed since the statement read the
 * table. Confined to the thread that commits.
 *
 * <p>The check is exact: a snapshot is created if absent, so that no other one comes between.
 */
final class CommitGuard {
    /** A partition and bucket that the statement writes; null: any bucket of the partition. */
    private record Place(BinaryRow partition, @Nullable Integer bucket) {}

    private final FileStoreTable table;
    private final String commitUser;
    private final OptionalLong readSnapshot;
    private final Set<Place> places = new HashSet<>();
    private long checked;
    private boolean isUnknown;
    private OptionalLong committed = OptionalLong.empty();
    private @Nullable TrinoException conflict;

    /**
     * @param readSnapshot after which nobody else may have written where the statement writes;
     *     empty: others may
     * @param wholePartitions whether a bucket depends on the others of its partition
     */
    CommitGuard(
            FileStoreTable table,
            String commitUser,
            OptionalLong readSnapshot,
            List<CommitMessage> messages,
            boolean wholePartitions) {
        this.table = requireNonNull(table, "table is null");
        this.commitUser = requireNonNull(commitUser, "commitUser is null");
        this.readSnapshot = requireNonNull(readSnapshot, "readSnapshot is null");
        this.checked = readSnapshot.orElse(0);
        for (CommitMessage message : messages) {
            places.add(new Place(message.partition(), wholePartitions ? null : message.bucket()));
        }
    }

    /** Whether a snapshot was perhaps created, and no answer said so. */
    boolean isUnknown() {
        return isUnknown;
    }

    /** The last snapshot that was created. */
    OptionalLong committed() {
        return committed;
    }

    /** Why the statement can never be committed. */
    @Nullable TrinoException conflict() {
        return conflict;
    }

    /** The same as {@code commit}, under this guard. */
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
                    isUnknown = true;
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
        if (readSnapshot.isEmpty() || mine.commitKind() == CommitKind.COMPACT) {
            return;
        }
        for (long id = checked + 1; id < mine.id(); id++) {
            Snapshot other = find(id, snapshots);
            boolean isOwn = other.commitUser().equals(commitUser);
            if (isOwn && other.commitIdentifier() == mine.commitIdentifier()) {
                // An earlier attempt, whose answer was lost: the next look finds it
                throw new IOException("The commit exists as snapshot " + id);
            }
            if (!isOwn && touches(other)) {
                throw conflict(
                        "snapshot %s of %s, committed by %s to the same buckets"
                                .formatted(id, table.location(), other.commitUser()));
            }
            checked = id;
        }
    }

    private Snapshot find(long id, SnapshotManager snapshots) {
        try {
            return snapshots.tryGetSnapshot(id);
        } catch (FileNotFoundException e) {
            throw conflict(
                    "that snapshot %s of %s has expired, so that it cannot be told"
                            .formatted(id, table.location()));
        }
    }

    private TrinoException conflict(String found) {
        TrinoException failure =
                new TrinoException(
                        StandardErrorCode.TRANSACTION_CONFLICT,
                        "Expected no change of the rows that the statement has read since snapshot %s, found %s"
                                .formatted(readSnapshot.getAsLong(), found));
        conflict = failure;
        return failure;
    }

    /** Whether a snapshot has other rows than the one before it where the statement writes. */
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
            ManifestEntry entry = entries.next();
            if (places.contains(new Place(entry.partition(), null))
                    || places.contains(new Place(entry.partition(), entry.bucket()))) {
                return true;
            }
        }
        return false;
    }
}
