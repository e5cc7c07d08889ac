package io.stele.client.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A lease is renewed in time, opened again where it is gone, and never twice without need. */
final class TestSnapshotLease {
    private static final TableId TABLE = new TableId(7);
    private static final Lsn PRESENT = new Lsn(100);
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(1);
    private static final Duration PERIOD = Duration.ofSeconds(20);

    private final Service service = new Service();
    private final SnapshotLeases leases = new SnapshotLeases(service, TABLE, TIME_TO_LIVE);
    private long now = Long.MAX_VALUE - 5; // nanoseconds may overflow

    private SnapshotLease hold(Optional<Lsn> lsn) {
        return leases.hold(lsn, () -> now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void twoRenewalsMayFailBeforeALeaseEnds() {
        assertThat(leases.renewalPeriod()).isEqualTo(PERIOD);
        assertThat(SnapshotLeases.renewalPeriod(Duration.ofSeconds(6)))
                .isEqualTo(Duration.ofSeconds(2));
        assertThat(SnapshotLeases.renewalPeriod(Duration.ofHours(24)))
                .isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aLeaseIsRenewedOnceAPeriod() {
        SnapshotLease lease = hold(Optional.empty());
        assertThat(lease.lsn()).isEqualTo(PRESENT);
        pass(PERIOD.minusNanos(1));
        lease.renewInTime();
        assertThat(service.calls).containsExactly("open s1 for 60000 ms");
        pass(Duration.ofNanos(1));
        lease.renewInTime();
        lease.renewInTime();
        assertThat(service.calls).containsExactly("open s1 for 60000 ms", "renew s1");
        lease.close();
        assertThat(service.calls).endsWith("close s1");
    }

    @Test
    void aLeaseThatIsGoneIsOpenedAgainAtItsLsn() {
        SnapshotLease lease = hold(Optional.of(new Lsn(7)));
        service.refuseRenewals = Optional.of(ErrorCode.SNAPSHOT_EXPIRED);
        pass(PERIOD);
        lease.renewInTime();
        assertThat(lease.snapshot()).isEqualTo(new LeasedSnapshot("s2", new Lsn(7)));
        lease.close();
        assertThat(service.calls).endsWith("close s2");
    }

    @Test
    void aRenewalThatFailsIsRepeatedByTheNextCall() {
        SnapshotLease lease = hold(Optional.empty());
        service.refuseRenewals = Optional.of(ErrorCode.UNAVAILABLE);
        pass(PERIOD);
        assertThatThrownBy(lease::renewInTime)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        failed -> assertThat(failed.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        service.refuseRenewals = Optional.empty();
        lease.renewInTime();
        assertThat(service.calls).containsExactly("open s1 for 60000 ms", "renew s1", "renew s1");
        assertThat(lease.snapshot().id()).isEqualTo("s1");
    }

    @Test
    void aLeaseThatCannotBeClosedIsLeftToItsEnd() {
        SnapshotLease lease = hold(Optional.empty());
        service.refusesToClose = true;
        lease.close();
        assertThat(service.calls).endsWith("close s1");
    }

    /** Writes down what it is asked for. */
    private static final class Service implements SnapshotService {
        private final List<String> calls = new ArrayList<>();
        private Optional<ErrorCode> refuseRenewals = Optional.empty();
        private boolean refusesToClose;
        private int opened;

        @Override
        public SnapshotReply open(OpenSnapshotRequest request) {
            assertThat(request.tableIds()).containsExactly(TABLE);
            String id = "s" + ++opened;
            calls.add("open %s for %d ms".formatted(id, request.ttlMillis()));
            return new SnapshotReply(id, request.lsn().orElse(PRESENT), request.ttlMillis());
        }

        @Override
        public void renew(RenewSnapshotRequest request) {
            calls.add("renew " + request.snapshotId());
            if (refuseRenewals.isPresent()) {
                throw new SteleException(refuseRenewals.get(), "refused by the test");
            }
        }

        @Override
        public void close(CloseSnapshotRequest request) {
            calls.add("close " + request.snapshotId());
            if (refusesToClose) {
                throw new SteleException(ErrorCode.UNAVAILABLE, "refused by the test");
            }
        }
    }
}
