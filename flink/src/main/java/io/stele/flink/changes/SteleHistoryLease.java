package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import io.stele.flink.source.OpenSnapshot;
import io.stele.flink.source.ScanSnapshots;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a job at a sidecar: the latest, and those before it that a checkpoint may name.
 * Changed by one thread at a time, and read by any.
 */
final class SteleHistoryLease implements HistoryLease {
    private final ChangeTarget target;
    private final TableId tableId;
    private final SteleClient client;
    private final ArrayDeque<OpenSnapshot> leases = new ArrayDeque<>(); // by LSN
    private volatile Optional<OpenSnapshot> held; // the last one
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
        held.ifPresent(leases::add);
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
        leases.addLast(opened);
        publish();
        return opened;
    }

    private void publish() {
        held = Optional.ofNullable(leases.peekLast());
    }

    /** All are tried, whatever becomes of one. */
    @Override
    public void renew() {
        List<OpenSnapshot> before = List.copyOf(leases);
        List<OpenSnapshot> renewed = new ArrayList<>();
        Optional<SteleException> failure = Optional.empty();
        for (OpenSnapshot lease : before) {
            try {
                renewed.add(ScanSnapshots.renew(flight(), tableId, lease, leaseTime()));
            } catch (SteleException failed) {
                failure = Optional.of(failed);
                if (failed.code() != ErrorCode.READ_POINT_EXPIRED) {
                    renewed.add(lease);
                }
            }
        }
        leases.clear();
        leases.addAll(renewed);
        publish();
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    @Override
    public void moveTo(Lsn lsn, Lsn kept) {
        OpenSnapshot last = leases.peekLast();
        if (last == null || last.lsn().compareTo(lsn) < 0) {
            leases.addLast(ScanSnapshots.open(flight(), tableId, Optional.of(lsn), leaseTime()));
            publish();
        }
        while (leases.size() > 1 && leases.getFirst().lsn().compareTo(kept) < 0) {
            end(leases.removeFirst());
        }
    }

    /** Where that fails, it ends by itself. */
    private void end(OpenSnapshot lease) {
        ScanSnapshots.close(flight(), lease);
    }

    @Override
    public void release() {
        held = Optional.empty();
        while (!leases.isEmpty()) {
            end(leases.removeFirst());
        }
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
