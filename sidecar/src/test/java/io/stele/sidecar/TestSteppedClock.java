package io.stele.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestSteppedClock {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong();

    @Test
    void isAsFarFromTheOtherAsTheFileSays(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("offset");
        SteppedClock clock = new SteppedClock(Clock.fixed(NOON, ZoneOffset.UTC), file, nanos::get);
        assertThat(clock.instant()).isEqualTo(NOON);
        Files.writeString(file, "-40000\n");
        assertThat(clock.instant()).isEqualTo(NOON);
        pass();
        assertThat(clock.instant()).isEqualTo(NOON.minusSeconds(40));
        Files.writeString(file, "being writ");
        pass();
        assertThat(clock.instant()).isEqualTo(NOON.minusSeconds(40));
        Files.writeString(file, "0");
        pass();
        assertThat(clock.instant()).isEqualTo(NOON);
    }

    private void pass() {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    }
}
