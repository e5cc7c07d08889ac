package io.stele.paimon.handle;

import static java.util.Objects.requireNonNull;

/**
 * The snapshot to which a query pins a table. After a rollback another commit may get its id, which
 * the other parts tell from it.
 *
 * @param deltaManifestList the name of the list of its changes, which contains a random UUID
 * @param timeMillis when it was committed, in epoch milliseconds
 */
public record PinnedSnapshot(long id, String deltaManifestList, long timeMillis) {
    public PinnedSnapshot {
        requireNonNull(deltaManifestList, "deltaManifestList is null");
    }
}
