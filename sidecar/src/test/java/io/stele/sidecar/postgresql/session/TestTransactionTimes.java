package io.stele.sidecar.postgresql.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.postgresql.sql.CurrentTimes;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** A session whose clock advances by a second and a nanosecond at each look. */
final class TestTransactionTimes {
    private static final Instant START = Instant.parse("2026-03-01T23:00:00Z");

    private Instant present = START;
    private final TransactionTimes times = new TransactionTimes(this::next);

    private Instant next() {
        present = present.plusSeconds(1).plusNanos(1);
        return present;
    }

    @Test
    void timesOfATransactionAreItsFirstMessages() {
        times.messageArrived();
        CurrentTimes parsed = times.current(ZoneOffset.UTC);
        times.messageArrived();
        CurrentTimes executed = times.current(ZoneOffset.UTC);
        assertThat(parsed.transaction()).isEqualTo(START.plusSeconds(2));
        assertThat(parsed.statement()).isEqualTo(parsed.transaction());
        assertThat(executed.transaction()).isEqualTo(parsed.transaction());
        assertThat(executed.statement()).isEqualTo(START.plusSeconds(3));
        assertThat(executed.present()).isEqualTo(START.plusSeconds(4));
        assertThat(executed.present()).as("not constant").isEqualTo(START.plusSeconds(5));
    }

    @Test
    void theNextTransactionOfAMessageHasItsTime() {
        times.messageArrived();
        times.end();
        CurrentTimes next = times.current(ZoneOffset.UTC);
        assertThat(next.transaction()).isEqualTo(next.statement()).isEqualTo(START.plusSeconds(2));
        times.end();
        times.messageArrived();
        assertThat(times.current(ZoneOffset.UTC).transaction()).isEqualTo(START.plusSeconds(3));
    }

    @Test
    void datesAreInTheZoneOfTheSession() {
        times.messageArrived();
        CurrentTimes berlin = times.current(ZoneId.of("Europe/Berlin"));
        assertThat(berlin.date()).isEqualTo(LocalDate.of(2026, 3, 2));
        assertThat(berlin.local()).hasToString("2026-03-02T00:00:02");
        assertThat(times.current(ZoneOffset.UTC).date()).isEqualTo(LocalDate.of(2026, 3, 1));
    }
}
