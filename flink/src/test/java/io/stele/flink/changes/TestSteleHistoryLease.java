package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLeases;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The history that a job may have to read again is there, and no longer than that. */
final class TestSteleHistoryLease {
    private static final Lsn START = new Lsn(100);
    private static final Lsn LATER = new Lsn(200);
    private static final Lsn LATEST = new Lsn(300);
    private static final Duration LEASE_TIME = Duration.ofSeconds(6);
    private static final Duration LONG = Duration.ofMinutes(2);

    private final FakeSnapshots sidecar = new FakeSnapshots();
    private final SnapshotLeases leases = new SnapshotLeases(sidecar, new TableId(1), LEASE_TIME);
    private final AtomicInteger closings = new AtomicInteger();
    private final SteleHistoryLease lease = lease(Optional.empty());

    private SteleHistoryLease lease(Optional<LeasedSnapshot> held) {
        return new SteleHistoryLease(leases, held, closings::incrementAndGet);
    }

    private static void assertRefused(Runnable action, ErrorCode code) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }

    @Test
    void theHistorySinceTheStartIsHeldForAsLongAsTheJobLives() {
        sidecar.write(START);
        assertThat(lease.held()).isEmpty();
        LeasedSnapshot opened = lease.open(Optional.empty());
        assertThat(opened.lsn()).isEqualTo(START);
        sidecar.every(leases.renewalPeriod(), lease::renew);
        sidecar.write(LATER);
        sidecar.pass(LONG);
        sidecar.dropHistory();
        assertThat(sidecar.horizon()).isEqualTo(START);
        assertThat(lease.held()).contains(opened);
    }

    @Test
    void historyThatIsNotRenewedIsGoneAndNoLongerNamed() {
        sidecar.write(START);
        lease.open(Optional.empty());
        sidecar.write(LATER);
        sidecar.pass(LEASE_TIME);
        sidecar.dropHistory();
        assertRefused(lease::renew, ErrorCode.SNAPSHOT_EXPIRED);
        assertThat(lease.held()).isEmpty();
        lease.renew(); // of nothing
        lease.moveTo(LATER, LATER);
        assertThat(sidecar.held()).containsExactly(LATER);
    }

    @Test
    void aRestartedSidecarHoldsTheHistoryAgainWithinAPeriod() {
        sidecar.write(START);
        LeasedSnapshot opened = lease.open(Optional.empty());
        sidecar.every(leases.renewalPeriod(), lease::renew);
        sidecar.restart();
        sidecar.write(LATER);
        sidecar.pass(leases.renewalPeriod());
        sidecar.dropHistory();
        assertThat(sidecar.horizon()).isEqualTo(START);
        assertThat(lease.held()).map(LeasedSnapshot::lsn).contains(START);
        assertThat(lease.held()).isNotEqualTo(Optional.of(opened));
    }

    @Test
    void aSidecarThatIsAwayForTwoPeriodsLosesNothing() {
        sidecar.write(START);
        lease.open(Optional.empty());
        sidecar.setAway(true);
        for (int i = 0; i < 2; i++) {
            sidecar.pass(leases.renewalPeriod());
            assertRefused(lease::renew, ErrorCode.UNAVAILABLE);
        }
        assertThat(lease.held()).isPresent();
        sidecar.setAway(false);
        sidecar.pass(leases.renewalPeriod().minusMillis(1));
        lease.renew();
        assertThat(sidecar.held()).containsExactly(START);
    }

    @Test
    void aLeaseThatACheckpointNamesStaysUntilTheNextOneIsComplete() {
        sidecar.write(LATEST);
        lease.open(Optional.of(START));
        lease.moveTo(LATER, START); // the checkpoint names the lease of the start
        assertThat(sidecar.held()).containsExactly(START, LATER);
        assertThat(lease.held()).map(LeasedSnapshot::lsn).contains(LATER);
        sidecar.every(leases.renewalPeriod(), lease::renew);
        sidecar.pass(LONG);
        assertThat(sidecar.held()).containsExactly(START, LATER);
        lease.moveTo(LATEST, LATER);
        assertThat(sidecar.held()).containsExactly(LATER, LATEST);
        lease.moveTo(LATEST, LATEST); // nothing was read meanwhile
        assertThat(sidecar.held()).containsExactly(LATEST);
    }

    @Test
    void oneLeaseThatIsGoneDoesNotKeepTheOthersFromBeingRenewed() {
        sidecar.write(LATEST);
        lease.open(Optional.of(START));
        lease.moveTo(LATER, START);
        sidecar.restart();
        lease.open(Optional.of(LATEST));
        sidecar.dropHistory();
        assertRefused(lease::renew, ErrorCode.SNAPSHOT_EXPIRED);
        assertThat(sidecar.held()).containsExactly(LATEST);
        assertThat(lease.held()).map(LeasedSnapshot::lsn).contains(LATEST);
        sidecar.every(leases.renewalPeriod(), lease::renew);
        sidecar.pass(LONG);
        assertThat(sidecar.held()).containsExactly(LATEST);
    }

    @Test
    void theLeaseOfAnEarlierAttemptIsTakenOver() {
        sidecar.write(START);
        LeasedSnapshot named = lease.open(Optional.empty());
        lease.close();
        assertThat(closings).hasValue(1);
        assertThat(sidecar.held()).containsExactly(START); // left to itself
        SteleHistoryLease restored = lease(Optional.of(named));
        assertThat(restored.held()).contains(named);
        sidecar.every(leases.renewalPeriod(), restored::renew);
        sidecar.pass(LONG);
        assertThat(sidecar.held()).containsExactly(START);
        sidecar.write(LATER);
        restored.moveTo(LATER, LATER);
        assertThat(sidecar.held()).containsExactly(LATER);
    }

    @Test
    void aReleasedLeaseHoldsNothing() {
        sidecar.write(LATER);
        lease.open(Optional.of(START));
        lease.moveTo(LATER, START);
        lease.release();
        assertThat(sidecar.held()).isEmpty();
        assertThat(lease.held()).isEmpty();
        sidecar.setAway(true);
        lease.renew(); // there is nothing to renew, so nobody is asked
    }
}
