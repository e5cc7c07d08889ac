package io.stele.sidecar.framed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TestPendingLimits {
    private static final int LIMIT_BYTES = 100 << 10;

    private final PendingLimits limits = new PendingLimits(LIMIT_BYTES);

    @Test
    void whatIsTakenIsGivenBack() {
        int taken = limits.tryTake(60 << 10);
        assertThat(taken).isPositive();
        assertThat(limits.tryTake(60 << 10)).isZero();
        assertThat(limits.pendingBytes()).isBetween(60L << 10, (long) LIMIT_BYTES);
        limits.giveBack(taken);
        assertThat(limits.pendingBytes()).isZero();
    }

    @Test
    void moreThanThereIsTakesAll() {
        int taken = limits.tryTake(10 * LIMIT_BYTES);
        assertThat(limits.pendingBytes()).isEqualTo(LIMIT_BYTES);
        limits.giveBack(taken);
        assertThat(limits.pendingBytes()).isZero();
    }

    @Test
    void whatTurnsOutToBeSmallerGivesTheRestBack() {
        int taken = limits.tryTake(90 << 10);
        int left = limits.shrink(taken, 9 << 10);
        assertThat(limits.pendingBytes()).isEqualTo(10 << 10);
        assertThat(limits.shrink(left, 50 << 10)).isEqualTo(left);
        limits.giveBack(left);
        assertThat(limits.pendingBytes()).isZero();
    }

    /** Else many that need little would keep one that needs much waiting for ever. */
    @Test
    void nobodyGoesBeforeThoseWhoWait() throws Exception {
        int taken = limits.tryTake(20 << 10);
        Thread large =
                Thread.startVirtualThread(
                        () -> limits.giveBack(limits.takeUninterruptibly(90 << 10)));
        while (limits.waitingCount() == 0) {
            assertThat(large.isAlive()).isTrue();
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(limits.tryTake(1)).isZero();
        limits.giveBack(taken);
        large.join();
        assertThat(limits.tryTake(1)).isPositive();
    }
}
