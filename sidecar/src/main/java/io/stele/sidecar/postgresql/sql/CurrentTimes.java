package io.stele.sidecar.postgresql.sql;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

/**
 * The current times of one statement, as PostgreSQL's functions return them: in microseconds, and
 * all but the time of the clock constant. Immutable.
 *
 * @param transaction start of the transaction: {@code now()}
 * @param statement when the client's last message arrived: {@code statement_timestamp()}
 * @param clock of {@code clock_timestamp()}
 * @param zone of dates and local timestamps
 * @see <a href="https://www.postgresql.org/docs/15/functions-datetime.html">PostgreSQL 15, Current
 *     Date/Time</a>
 */
public record CurrentTimes(
        Instant transaction, Instant statement, InstantSource clock, ZoneId zone) {
    public CurrentTimes {
        transaction = transaction.truncatedTo(ChronoUnit.MICROS);
        statement = statement.truncatedTo(ChronoUnit.MICROS);
        requireNonNull(clock, "clock is null");
        requireNonNull(zone, "zone is null");
    }

    /** The times of a statement that begins now and is a transaction of its own. */
    public static CurrentTimes now(InstantSource clock, ZoneId zone) {
        Instant now = clock.instant();
        return new CurrentTimes(now, now, clock, zone);
    }

    /** The time of the clock: {@code clock_timestamp()}. */
    public Instant present() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /** The date of the transaction: {@code current_date}. */
    public LocalDate date() {
        return LocalDate.ofInstant(transaction, zone);
    }

    /** The time of the transaction in the zone: {@code localtimestamp}. */
    public LocalDateTime local() {
        return LocalDateTime.ofInstant(transaction, zone);
    }
}
