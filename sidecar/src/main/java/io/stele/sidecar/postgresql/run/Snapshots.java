package io.stele.sidecar.postgresql.run;

import io.stele.engine.StorageEngine;
import io.stele.engine.snapshot.LeasedSnapshot;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The opening of leased snapshots of the present, for statements and transaction blocks. Stateless.
 */
final class Snapshots {
    /** Long enough for a client that pauses, or reads its rows in parts. */
    static final Duration LEASE = Duration.ofMinutes(10);

    private Snapshots() {}

    /** Opens a snapshot; if the statement is cancelled meanwhile, the snapshot is closed. */
    static LeasedSnapshot open(StorageEngine engine, Client client) {
        CompletableFuture<LeasedSnapshot> opening = engine.openSnapshot(Optional.empty(), LEASE);
        try {
            return client.cancellation().await(opening);
        } catch (RuntimeException | Error e) {
            var unused = opening.thenAccept(snapshot -> engine.closeSnapshot(snapshot.id()));
            throw e;
        }
    }
}
