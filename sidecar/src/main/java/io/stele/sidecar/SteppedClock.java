package io.stele.sidecar;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A clock for tests, shifted from another clock by milliseconds that it rereads from a file. It
 * simulates wrong or jumping clocks while a sidecar runs. Thread-safe.
 */
final class SteppedClock extends Clock {
    /** The system property that names the file; without it, the sidecar has the machine's clock. */
    static final String PROPERTY = "stele.testing.clock-offset-file";

    private static final long REREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Clock clock;
    private final Path file;
    private final LongSupplier ticker;
    private volatile Offset offset;

    /** The offset in the file, and when it was read. */
    private record Offset(Duration value, long readNanos) {}

    SteppedClock(Clock clock, Path file, LongSupplier ticker) {
        this.clock = requireNonNull(clock, "clock is null");
        this.file = requireNonNull(file, "file is null");
        this.ticker = requireNonNull(ticker, "ticker is null");
        this.offset = new Offset(read(Duration.ZERO), ticker.getAsLong());
    }

    /** The clock of this process, which is the machine's unless {@link #PROPERTY} is set. */
    static Clock system() {
        String file = System.getProperty(PROPERTY);
        return file == null
                ? Clock.systemUTC()
                : new SteppedClock(Clock.systemUTC(), Path.of(file), System::nanoTime);
    }

    @Override
    public Instant instant() {
        Offset last = offset;
        long now = ticker.getAsLong();
        if (now - last.readNanos >= REREAD_NANOS) {
            last = new Offset(read(last.value), now);
            offset = last;
        }
        return clock.instant().plus(last.value);
    }

    /** The present offset in the file; the previous one while the file is being written. */
    private Duration read(Duration before) {
        try {
            return Duration.ofMillis(Long.parseLong(Files.readString(file).strip()));
        } catch (IOException | NumberFormatException e) {
            return before;
        }
    }

    @Override
    public ZoneId getZone() {
        return clock.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new SteppedClock(clock.withZone(zone), file, ticker);
    }
}
