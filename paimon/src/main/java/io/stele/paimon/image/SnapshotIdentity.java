package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import org.apache.paimon.Snapshot;

/**
 * The identity of one commit, also after a rollback or a re-creation of the table gives its
 * snapshot id to another commit. The names of manifest lists contain a random UUID.
 */
record SnapshotIdentity(
        long id,
        String baseManifestList,
        String deltaManifestList,
        String commitUser,
        long commitIdentifier,
        long timeMillis) {
    SnapshotIdentity {
        requireNonNull(baseManifestList, "baseManifestList is null");
        requireNonNull(deltaManifestList, "deltaManifestList is null");
        requireNonNull(commitUser, "commitUser is null");
    }

    static SnapshotIdentity of(Snapshot snapshot) {
        return new SnapshotIdentity(
                snapshot.id(),
                snapshot.baseManifestList(),
                snapshot.deltaManifestList(),
                snapshot.commitUser(),
                snapshot.commitIdentifier(),
                snapshot.timeMillis());
    }
}
