package io.stele.connector.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TestStatementAttempts {
    private static final Duration BUSY = Duration.ofSeconds(3);
    private static final Duration OUTAGE = Duration.ofSeconds(30);

    private long nanos = 77;
    private final StatementAttempts attempts = new StatementAttempts(() -> nanos, BUSY, OUTAGE);

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private static SteleException failure(ErrorCode code) {
        return new SteleException(code, code.name());
    }

    @Test
    void whatWasNeverSentIsNotInDoubt() {
        assertThat(attempts.patience(failure(ErrorCode.UNAVAILABLE))).isEqualTo(OUTAGE);
        assertThat(attempts.patience(failure(ErrorCode.BUSY))).isEqualTo(BUSY);
        SteleException refused =
                new SteleException(
                        ErrorCode.UNAVAILABLE, "refused", new ConnectException("refused"));
        assertThat(attempts.failed(refused)).isSameAs(refused);
        assertThat(attempts.patience(refused)).isEqualTo(OUTAGE);
        assertThat(attempts.outcome("drop-table", refused)).isSameAs(refused);
    }

    /** However long it took to find out that there is no answer. */
    @Test
    void aLostAnswerIsAskedForSomeMinutes() {
        pass(Duration.ofMinutes(7));
        SteleException lost = failure(ErrorCode.UNAVAILABLE);
        assertThat(attempts.failed(lost)).isSameAs(lost);
        assertThat(attempts.patience(lost)).isEqualTo(Duration.ofMinutes(12));
        pass(Duration.ofMinutes(2));
        attempts.failed(failure(ErrorCode.UNAVAILABLE));
        SteleException busy = failure(ErrorCode.BUSY);
        assertThat(attempts.failed(busy)).isSameAs(busy);
        assertThat(attempts.patience(busy)).isEqualTo(Duration.ofMinutes(12));
        assertThat(attempts.outcome("drop-table", busy))
                .hasMessage("BUSY. It is not known whether drop-table was done");
    }

    @Test
    void aRefusalIsTheAnswer() {
        attempts.failed(failure(ErrorCode.UNAVAILABLE));
        SteleException refused = failure(ErrorCode.TABLE_ALREADY_EXISTS);
        assertThat(attempts.failed(refused)).isSameAs(refused);
        assertThat(attempts.outcome("create-table", refused)).isSameAs(refused);
    }

    /** Else the caller would empty the table that has the name by now. */
    @Test
    void aTableThatIsGoneMayBeGoneSince() {
        SteleException gone = failure(ErrorCode.STALE_TABLE);
        assertThat(attempts.outcome("truncate-table", attempts.failed(gone))).isSameAs(gone);
        attempts.failed(failure(ErrorCode.UNAVAILABLE));
        SteleException unknown = attempts.outcome("truncate-table", attempts.failed(gone));
        assertThat(unknown.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(unknown)
                .hasMessage("STALE_TABLE. It is not known whether truncate-table was done");
    }

    @Test
    void aStoreThatFailsIsWaitedForLess() {
        attempts.failed(failure(ErrorCode.UNAVAILABLE));
        pass(Duration.ofSeconds(70));
        SteleException store = failure(ErrorCode.STORE_FAILED);
        SteleException repeatable = attempts.failed(store);
        assertThat(repeatable.code().retryable()).isTrue();
        assertThat(attempts.patience(repeatable)).isEqualTo(Duration.ofSeconds(130));
        pass(Duration.ofSeconds(20));
        assertThat(attempts.patience(attempts.failed(store))).isEqualTo(Duration.ofSeconds(130));
        assertThat(attempts.outcome("drop-table", repeatable)).isSameAs(store);

        // The sidecar is lost meanwhile
        SteleException lost = attempts.failed(failure(ErrorCode.UNAVAILABLE));
        assertThat(attempts.patience(lost)).isEqualTo(Duration.ofMinutes(5));
        assertThat(attempts.outcome("drop-table", lost))
                .hasMessageContaining("not known whether drop-table was done");
    }

    @Test
    void aFailureOfTheSidecarLeavesItUnknown() {
        SteleException internal = attempts.failed(failure(ErrorCode.INTERNAL));
        assertThat(attempts.outcome("drop-table", internal))
                .hasMessage("INTERNAL. It is not known whether drop-table was done");
    }
}
