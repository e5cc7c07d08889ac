package io.stele.client.lease;

import static java.util.Objects.requireNonNull;

import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import java.util.function.Supplier;

/**
 * The client's access to a sidecar's actions that open, renew and close snapshots. Each call waits
 * for the answer, and throws a refusal.
 */
public interface SnapshotService {
    SnapshotReply open(OpenSnapshotRequest request);

    void renew(RenewSnapshotRequest request);

    void close(CloseSnapshotRequest request);

    /**
     * The actions over Flight.
     *
     * @param flight the client of the sidecar, asked for again by each action
     */
    static SnapshotService overFlight(Supplier<FlightClient> flight) {
        requireNonNull(flight, "flight is null");
        return new SnapshotService() {
            @Override
            public SnapshotReply open(OpenSnapshotRequest request) {
                return flight.get().action(SnapshotActions.OPEN_SNAPSHOT, request);
            }

            @Override
            public void renew(RenewSnapshotRequest request) {
                flight.get().action(SnapshotActions.RENEW_SNAPSHOT, request);
            }

            @Override
            public void close(CloseSnapshotRequest request) {
                flight.get().action(SnapshotActions.CLOSE_SNAPSHOT, request);
            }
        };
    }
}
