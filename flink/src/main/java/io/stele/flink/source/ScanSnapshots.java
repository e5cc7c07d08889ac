package io.stele.flink.source;

import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The leases of the snapshots of scans. */
public final class ScanSnapshots {
    private ScanSnapshots() {}

    /** Opens one of what is acknowledged by now, or of an earlier LSN that is still readable. */
    public static OpenSnapshot open(
            FlightClient flight, TableId table, Optional<Lsn> lsn, Duration timeToLive) {
        SnapshotReply reply =
                flight.action(
                        SnapshotActions.OPEN_SNAPSHOT,
                        new OpenSnapshotRequest(List.of(table), lsn, timeToLive.toMillis()));
        return new OpenSnapshot(reply.snapshotId(), reply.lsn());
    }

    /**
     * Renews one, or opens it again where its lease is gone, as after a restart of the sidecar.
     *
     * @throws SteleException READ_POINT_EXPIRED: its rows are not all there any more
     */
    public static OpenSnapshot renew(
            FlightClient flight, TableId table, OpenSnapshot snapshot, Duration timeToLive) {
        try {
            flight.action(
                    SnapshotActions.RENEW_SNAPSHOT,
                    new RenewSnapshotRequest(snapshot.id(), timeToLive.toMillis()));
            return snapshot;
        } catch (SteleException gone) {
            if (gone.code() != ErrorCode.READ_POINT_EXPIRED) {
                throw gone;
            }
            return open(flight, table, Optional.of(snapshot.lsn()), timeToLive);
        }
    }

    public static void close(FlightClient flight, OpenSnapshot snapshot) {
        flight.action(SnapshotActions.CLOSE_SNAPSHOT, new CloseSnapshotRequest(snapshot.id()));
    }
}
