package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLeases;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The history leases of a job at a sidecar: the latest one, and earlier ones that a checkpoint may
 * name. Callers serialize changes; any thread may read {@link #held}.
 */
final class SteleHistoryLease implements HistoryLease {
    private final SnapshotLeases sidecar;
    private final Runnable closing;
    private final ArrayDeque<LeasedSnapshot> leases = new ArrayDeque<>(); // in order of LSN
    private volatile Optional<LeasedSnapshot> held; // the last one

    /**
     * The leases of one job.
     *
     * @param held the lease of an earlier enumerator of the job
     * @param closing closes the connection to the sidecar
     */
    SteleHistoryLease(SnapshotLeases sidecar, Optional<LeasedSnapshot> held, Runnable closing) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.held = requireNonNull(held, "held is null");
        this.closing = requireNonNull(closing, "closing is null");
        held.ifPresent(leases::add);
    }

    @Override
    public LeasedSnapshot open(Optional<Lsn> after) {
        LeasedSnapshot opened = sidecar.open(after);
        leases.addLast(opened);
        publish();
        return opened;
    }

    private void publish() {
        held = Optional.ofNullable(leases.peekLast());
    }

    /** Tries to renew all leases, even if one fails; throws the last failure. */
    @Override
    public void renew() {
        List<LeasedSnapshot> renewed = new ArrayList<>();
        Optional<SteleException> failure = Optional.empty();
        for (LeasedSnapshot lease : List.copyOf(leases)) {
            try {
                renewed.add(sidecar.renew(lease));
            } catch (SteleException failed) {
                failure = Optional.of(failed);
                if (failed.code() != ErrorCode.SNAPSHOT_EXPIRED) {
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
        LeasedSnapshot last = leases.peekLast();
        if (last == null || last.lsn().compareTo(lsn) < 0) {
            leases.addLast(sidecar.open(Optional.of(lsn)));
            publish();
        }
        while (leases.size() > 1 && leases.getFirst().lsn().compareTo(kept) < 0) {
            sidecar.close(leases.removeFirst());
        }
    }

    @Override
    public void release() {
        held = Optional.empty();
        while (!leases.isEmpty()) {
            sidecar.close(leases.removeFirst());
        }
    }

    @Override
    public Optional<LeasedSnapshot> held() {
        return held;
    }

    @Override
    public void close() {
        closing.run();
    }
}
