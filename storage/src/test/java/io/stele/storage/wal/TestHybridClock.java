package io.stele.storage.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.Lsn;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TestHybridClock {
    private final AtomicLong wallMillis = new AtomicLong(1_000);
    private final HybridClock clock = new HybridClock(wallMillis::get);

    @Test
    void followsTheWallClockAndCountsWithinAMillisecond() {
        assertThat(clock.next()).isEqualTo(Lsn.of(1_000, 0));
        assertThat(clock.next()).isEqualTo(Lsn.of(1_000, 1));
        wallMillis.set(1_005);
        assertThat(clock.next()).isEqualTo(Lsn.of(1_005, 0));
        assertThat(clock.last()).isEqualTo(Lsn.of(1_005, 0));
    }

    @Test
    void neverGoesBack() {
        Lsn before = clock.next();
        for (long wall : new long[] {999, 0, -5, Long.MIN_VALUE}) {
            wallMillis.set(wall);
            Lsn after = clock.next();
            assertThat(after).isGreaterThan(before);
            before = after;
        }
    }

    @Test
    void overflowingCounterBorrowsFromTheFuture() {
        for (int i = 0; i <= 1 << 16; i++) {
            clock.next();
        }
        assertThat(clock.last()).isEqualTo(Lsn.of(1_001, 0));
    }

    @Test
    void observesLsnsFromElsewhere() {
        clock.observe(Lsn.of(9_000, 7));
        assertThat(clock.next()).isEqualTo(Lsn.of(9_000, 8));
        clock.observe(Lsn.of(500, 0));
        assertThat(clock.next()).isEqualTo(Lsn.of(9_000, 9));
    }

    @Test
    void refusesToRunOver() {
        clock.observe(Lsn.MAX);
        assertThatThrownBy(clock::next).isInstanceOf(IllegalStateException.class);
    }
}
