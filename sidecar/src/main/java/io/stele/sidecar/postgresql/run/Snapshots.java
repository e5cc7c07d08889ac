package io.stele.sidecar.postgresql.run;

import io.stele.engine.StorageEngine;
import io.stele.engine.snapshot.LeasedSnapshot;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Snapshots of the present for statements and blocks. */
final class Snapshots {
    /** For a client that thinks, or takes its rows in parts. */
    static final Duration LEASE = Duration.ofMinutes(10);

    private Snapshots() {}

    /** Opens one; a statement that is cancelled meanwhile leaves none behind. */
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
