package io.stele.objectstore.s3;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * The clock for signatures of S3 requests: the machine's time, corrected when a refusal shows that
 * the service's clock differs. S3 refuses signatures that are more than 15 minutes away from its
 * clock. Thread-safe.
 */
final class ServiceClock extends Clock {
    /**
     * Smaller differences are no skew: the dates of responses have whole seconds, and responses
     * take a while.
     */
    private static final Duration TOLERANCE = Duration.ofMinutes(2);

    private final InstantSource machine;
    private volatile Duration skew = Duration.ZERO; // of the service's clock to the machine's

    ServiceClock(InstantSource machine) {
        this.machine = requireNonNull(machine, "machine is null");
    }

    @Override
    public Instant instant() {
        return machine.instant().plus(skew);
    }

    /**
     * Sets this clock to the time of the service, if a refusal shows another time.
     *
     * @param date the header of the response
     * @return false if the header is no date
     */
    boolean correct(String date) {
        try {
            Duration seen =
                    Duration.between(
                            machine.instant(),
                            DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from));
            if (seen.minus(skew).abs().compareTo(TOLERANCE) > 0) {
                skew = seen;
            }
            return true;
        } catch (DateTimeException unreadable) {
            return false;
        }
    }

    /** How far the service's clock is ahead of the machine's, as far as known. */
    Duration skew() {
        return skew;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new Clock() {
            @Override
            public Instant instant() {
                return ServiceClock.this.instant();
            }

            @Override
            public ZoneId getZone() {
                return zone;
            }

            @Override
            public Clock withZone(ZoneId other) {
                return ServiceClock.this.withZone(other);
            }
        };
    }
}
