package io.stele.sidecar.framed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class TestPendingLimits {
    private static final int LIMIT_BYTES = 100 << 10;

    private final PendingLimits limits = new PendingLimits(LIMIT_BYTES);

    @Test
    void whatIsTakenIsGivenBack() throws Exception {
        int taken = limits.take(60 << 10);
        assertThat(limits.pendingBytes()).isBetween(60L << 10, (long) LIMIT_BYTES);
        limits.giveBack(taken);
        assertThat(limits.pendingBytes()).isZero();
    }

    @Test
    void moreThanThereIsTakesAll() throws Exception {
        int taken = limits.take(10 * LIMIT_BYTES);
        assertThat(limits.pendingBytes()).isEqualTo(LIMIT_BYTES);
        limits.giveBack(taken);
        assertThat(limits.pendingBytes()).isZero();
    }

    @Test
    void whoFindsNoRoomWaits() throws Exception {
        int taken = limits.take(20 << 10);
        Thread large =
                Thread.startVirtualThread(
                        () -> {
                            try {
                                limits.giveBack(limits.take(90 << 10));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        while (large.getState() != Thread.State.WAITING) {
            assertThat(large.isAlive()).isTrue();
            LockSupport.parkNanos(1_000_000);
        }
        limits.giveBack(taken);
        large.join();
        assertThat(limits.pendingBytes()).isZero();
    }
}
