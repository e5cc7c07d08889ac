package io.stele.engine.wal;

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
    void aJumpAheadOfTheSteadyClockIsFollowedWhenItStays() {
        AtomicLong steady = new AtomicLong(77);
        HybridClock guarded = new HybridClock(wallMillis::get, steady::get);
        wallMillis.set(1_000 + 3_600_000);
        steady.addAndGet(20);
        assertThat(guarded.next()).isEqualTo(Lsn.of(1_020, 0));
        assertThat(guarded.heldMillis()).isEqualTo(3_600_000 - 20);
        wallMillis.set(1_040);
        steady.addAndGet(20);
        assertThat(guarded.next()).isEqualTo(Lsn.of(1_040, 0));
        assertThat(guarded.heldMillis()).isZero();

        wallMillis.set(8_000_000);
        assertThat(guarded.next()).isEqualTo(Lsn.of(1_040, 1));
        steady.addAndGet(HybridClock.HELD_MILLIS);
        wallMillis.addAndGet(HybridClock.HELD_MILLIS);
        assertThat(guarded.next()).isEqualTo(Lsn.of(wallMillis.get(), 0));
    }

    @Test
    void smallStepsAreFollowedAtOnce() {
        AtomicLong steady = new AtomicLong();
        HybridClock guarded = new HybridClock(wallMillis::get, steady::get);
        wallMillis.addAndGet(HybridClock.JUMP_MILLIS);
        assertThat(guarded.next()).isEqualTo(Lsn.of(wallMillis.get(), 0));
        wallMillis.addAndGet(-5_000);
        guarded.next();
        assertThat(guarded.heldMillis()).isZero();
        wallMillis.addAndGet(HybridClock.JUMP_MILLIS + 1);
        assertThat(guarded.heldMillis()).isEqualTo(HybridClock.JUMP_MILLIS + 1);
    }

    /**
     * Otherwise rows that are written meanwhile have LSNs of long ago, and expire at once when a
     * restart, or ten minutes, make the corrected clock the one to follow.
     */
    @Test
    void aStepBackThatIsCorrectedChangesNothing() {
        AtomicLong steady = new AtomicLong();
        HybridClock guarded = new HybridClock(wallMillis::get, steady::get);
        for (int second = 1; second <= 300; second++) {
            steady.addAndGet(1_000);
            wallMillis.addAndGet(second == 10 ? -599_000 : second == 13 ? 601_000 : 1_000);
            assertThat(guarded.next()).isEqualTo(Lsn.of(1_000 + 1_000L * second, 0));
            assertThat(guarded.heldMillis()).isEqualTo(second >= 10 && second < 13 ? 600_000 : 0);
        }
        assertThat(new HybridClock(wallMillis::get, steady::get).next())
                .isEqualTo(Lsn.of(301_000, 0));
    }

    @Test
    void aStepBackIsFollowedWhenItStays() {
        AtomicLong steady = new AtomicLong();
        HybridClock guarded = new HybridClock(wallMillis::get, steady::get);
        wallMillis.addAndGet(-3_600_000);
        Lsn held = guarded.next();
        steady.addAndGet(HybridClock.HELD_MILLIS);
        wallMillis.addAndGet(HybridClock.HELD_MILLIS);
        assertThat(guarded.next()).isEqualTo(new Lsn(held.value() + 1));
        assertThat(guarded.heldMillis()).isZero();
    }

    @Test
    void expiryGoesOnFromWhatWasWrittenLastUntilTheWallClockHasStayed() {
        AtomicLong steady = new AtomicLong(77);
        HybridClock guarded = started(steady);
        assertThat(guarded.expiryMillis()).isEqualTo(1_000);
        assertThat(guarded.next().millis()).as("as the wall clock").isEqualTo(3_601_000);
        assertThat(guarded.heldMillis()).isEqualTo(3_600_000);
        advance(steady, HybridClock.HELD_MILLIS - 1);
        assertThat(guarded.expiryMillis()).isEqualTo(1_000 + HybridClock.HELD_MILLIS - 1);
        advance(steady, 1);
        assertThat(guarded.expiryMillis()).isEqualTo(wallMillis.get());
        assertThat(guarded.heldMillis()).isZero();
    }

    @Test
    void expiryFollowsAWallClockThatIsCorrected() {
        AtomicLong steady = new AtomicLong(77);
        HybridClock guarded = started(steady);
        assertThat(guarded.expiryMillis()).isEqualTo(1_000);
        wallMillis.addAndGet(-3_600_000);
        advance(steady, 20);
        assertThat(guarded.expiryMillis()).isEqualTo(1_020);
        assertThat(guarded.heldMillis()).isZero();
        advance(steady, HybridClock.HELD_MILLIS);
        assertThat(guarded.expiryMillis()).isEqualTo(1_020 + HybridClock.HELD_MILLIS);
        wallMillis.addAndGet(-1_000_000);
        assertThat(guarded.expiryMillis()).isEqualTo(1_020 + HybridClock.HELD_MILLIS);
    }

    @Test
    void nothingExpiresBeforeAllIsObserved() {
        HybridClock guarded = new HybridClock(wallMillis::get, () -> 77);
        assertThat(guarded.expiryMillis()).isZero();
        guarded.beginExpiry();
        assertThat(guarded.expiryMillis()).as("where nothing was written").isEqualTo(1_000);
    }

    @Test
    void epochsAreNoTimesOfWrites() {
        AtomicLong steady = new AtomicLong(77);
        wallMillis.set(3_601_000);
        HybridClock guarded = new HybridClock(wallMillis::get, steady::get);
        guarded.observe(Lsn.of(1_000, 0));
        guarded.observeEpoch(Lsn.of(3_601_000, 0).value());
        guarded.beginExpiry();
        assertThat(guarded.expiryMillis()).isEqualTo(1_000);
        assertThat(guarded.next()).isEqualTo(Lsn.of(3_601_000, 1));
    }

    /** One that finds something written an hour before. */
    private HybridClock started(AtomicLong steady) {
        wallMillis.addAndGet(3_600_000);
        HybridClock guarded = new HybridClock(wallMillis::get, steady::get);
        guarded.observe(Lsn.of(1_000, 7));
        guarded.beginExpiry();
        return guarded;
    }

    private void advance(AtomicLong steady, long millis) {
        steady.addAndGet(millis);
        wallMillis.addAndGet(millis);
    }

    @Test
    void refusesToRunOver() {
        clock.observe(Lsn.MAX);
        assertThatThrownBy(clock::next).isInstanceOf(IllegalStateException.class);
    }
}
