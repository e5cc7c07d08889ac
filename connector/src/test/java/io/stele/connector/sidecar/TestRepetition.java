package io.stele.connector.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** How long requests are repeated, in a time of its own. */
final class TestRepetition {
    private static final Duration HOUR = Duration.ofHours(1);

    private final List<Long> pauseMillis = new ArrayList<>();
    private long now;
    private int requests;
    private final Repetition repetition =
            new Repetition(
                    () -> now,
                    nanos -> {
                        pauseMillis.add(TimeUnit.NANOSECONDS.toMillis(nanos));
                        now += nanos;
                    });

    /** Each attempt of a slow change takes the whole time of a request. */
    @Test
    void anAnswerThatComesLateIsWaitedFor() {
        Supplier<String> slow =
                () -> {
                    now += TimeUnit.SECONDS.toNanos(30);
                    if (++requests <= 100) {
                        throw new SteleException(ErrorCode.UNAVAILABLE, "deadline exceeded");
                    }
                    return "committed";
                };
        assertThat(repetition.run(slow, failure -> HOUR)).isEqualTo("committed");
        assertThat(requests).isEqualTo(101);
        assertThat(pauseMillis).startsWith(200L, 400L, 800L, 1600L, 2000L).endsWith(2000L);
    }

    @Test
    void patienceEndsAndSaysHowLongItWas() {
        assertThatThrownBy(
                        () ->
                                repetition.run(
                                        () -> fail(ErrorCode.UNAVAILABLE),
                                        failure -> Duration.ofSeconds(30)))
                .hasMessage("no (waited 30 s)");
        assertThat(now).isEqualTo(TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void eachKindOfFailureHasItsPatience() {
        assertThatThrownBy(
                        () ->
                                repetition.run(
                                        () -> fail(ErrorCode.BUSY),
                                        failure ->
                                                failure.code() == ErrorCode.BUSY
                                                        ? Duration.ZERO
                                                        : HOUR))
                .hasMessage("no");
        assertThat(requests).isEqualTo(1);
    }

    @Test
    void anAnswerIsNotAskedForTwice() {
        assertThatThrownBy(
                        () ->
                                repetition.run(
                                        () -> fail(ErrorCode.TRANSACTION_CONFLICT),
                                        failure -> HOUR))
                .hasMessage("no");
        assertThat(requests).isEqualTo(1);
    }

    @Test
    void theAdviceOfTheSidecarIsTakenUpToALimit() {
        Supplier<String> full =
                () -> {
                    if (++requests <= 2) {
                        throw new SteleException(
                                ErrorCode.BUSY,
                                "full",
                                java.util.OptionalLong.of(requests == 1 ? 700 : 1_000_000));
                    }
                    return "done";
                };
        assertThat(repetition.run(full, failure -> HOUR)).isEqualTo("done");
        assertThat(pauseMillis).containsExactly(700L, 2000L);
    }

    @Test
    void cancellationEndsIt() {
        Repetition cancelled =
                new Repetition(() -> now, nanos -> Thread.currentThread().interrupt());
        try {
            assertThatThrownBy(
                            () -> cancelled.run(() -> fail(ErrorCode.UNAVAILABLE), failure -> HOUR))
                    .hasMessage("The statement was cancelled while it waited for the sidecar: no");
            assertThat(requests).isEqualTo(1);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private String fail(ErrorCode code) {
        requests++;
        throw new SteleException(code, "no");
    }
}
