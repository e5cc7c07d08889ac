package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import io.stele.flink.source.OpenSnapshot;
import io.stele.flink.source.ScanSnapshots;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lease of a job at a sidecar. Changed by one thread at a time, and read by any. */
final class SteleHistoryLease implements HistoryLease {
    private final ChangeTarget target;
    private final TableId tableId;
    private final SteleClient client;
    private volatile Optional<OpenSnapshot> held;
    private @Nullable FlightClient flight;

    /**
     * A lease.
     *
     * @param held the one of an earlier enumerator
     */
    SteleHistoryLease(ChangeTarget target, SteleClient client, Optional<OpenSnapshot> held) {
        this.target = requireNonNull(target, "target is null");
        this.tableId = target.table().schema().id();
        this.client = requireNonNull(client, "client is null");
        this.held = held;
    }

    private Duration leaseTime() {
        return target.options().leaseTime();
    }

    private FlightClient flight() {
        FlightClient present = flight;
        if (present == null) {
            present = target.table().open(client).flight(0);
            flight = present;
        }
        return present;
    }

    @Override
    public OpenSnapshot open(Optional<Lsn> after) {
        flight = SteleHistory.open(target, client, tableId, after.orElse(Lsn.MIN)).flight(0);
        OpenSnapshot opened = ScanSnapshots.open(flight(), tableId, after, leaseTime());
        held = Optional.of(opened);
        return opened;
    }

    @Override
    public void renew() {
        Optional<OpenSnapshot> present = held;
        if (present.isPresent()) {
            held = Optional.of(ScanSnapshots.renew(flight(), tableId, present.get(), leaseTime()));
        }
    }

    @Override
    public void moveTo(Lsn lsn) {
        Optional<OpenSnapshot> before = held;
        if (before.isPresent() && before.get().lsn().compareTo(lsn) >= 0) {
            return;
        }
        held = Optional.of(ScanSnapshots.open(flight(), tableId, Optional.of(lsn), leaseTime()));
        before.ifPresent(ended -> ScanSnapshots.close(flight(), ended));
    }

    @Override
    public void release() {
        Optional<OpenSnapshot> before = held;
        held = Optional.empty();
        before.ifPresent(ended -> ScanSnapshots.close(flight(), ended));
    }

    @Override
    public Optional<OpenSnapshot> held() {
        return held;
    }

    @Override
    public void close() {
        client.close();
    }
}
