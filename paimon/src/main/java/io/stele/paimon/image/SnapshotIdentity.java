package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import org.apache.paimon.Snapshot;

/**
 * One commit, also across a drop of its table or a rollback, after which the same snapshot id names
 * another commit: the names of manifest lists hold a random UUID.
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
