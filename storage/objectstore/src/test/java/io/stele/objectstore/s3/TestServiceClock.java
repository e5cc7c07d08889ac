package io.stele.objectstore.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class TestServiceClock {
    private final AtomicReference<Instant> machine =
            new AtomicReference<>(Instant.parse("2026-11-23T12:00:00Z"));
    private final ServiceClock clock = new ServiceClock(machine::get);

    @Test
    void followsTheServiceAheadAndBack() {
        assertThat(clock.correct("Mon, 23 Nov 2026 13:00:00 GMT")).isTrue();
        machine.updateAndGet(time -> time.plusSeconds(5));
        assertThat(clock.instant()).isEqualTo("2026-11-23T13:00:05Z");
        assertThat(clock.withZone(ZoneId.of("Europe/Berlin")).instant()).isEqualTo(clock.instant());
        assertThat(clock.correct("Sun, 22 Nov 2026 13:00:00 GMT")).isTrue();
        assertThat(clock.instant()).isEqualTo("2026-11-22T13:00:00Z");
        assertThat(clock.skew()).isEqualTo(Duration.ofHours(-23).minusSeconds(5));
    }

    /** A refusal for another reason, with the time there is: nothing to correct. */
    @Test
    void secondsAreNoSkew() {
        assertThat(clock.correct("Mon, 23 Nov 2026 12:00:59 GMT")).isTrue();
        assertThat(clock.skew()).isZero();
    }

    @Test
    void whatIsNoDateChangesNothing() {
        assertThat(clock.correct("tomorrow")).isFalse();
        assertThat(clock.skew()).isZero();
    }
}
