package io.stele.sidecar.auth;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.metrics.AccessMetrics;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TestPendingLogins {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final AccessMetrics metrics = new AccessMetrics();

    @Test
    void oldestGivesWay() throws Exception {
        PendingLogins logins = new PendingLogins(2, LONG, metrics);
        List<CompletableFuture<SteleException>> ends = new ArrayList<>();
        List<PendingLogins.Login> begun = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CompletableFuture<SteleException> end = new CompletableFuture<>();
            ends.add(end);
            begun.add(logins.begin(end::complete));
        }
        assertThat(ends.get(0).get(120, SECONDS).code()).isEqualTo(ErrorCode.BUSY);

        // One that has left makes room
        begun.get(1).close();
        CompletableFuture<SteleException> fourth = new CompletableFuture<>();
        logins.begin(fourth::complete);
        CompletableFuture<SteleException> fifth = new CompletableFuture<>();
        logins.begin(fifth::complete);
        assertThat(ends.get(2).get(120, SECONDS).code()).isEqualTo(ErrorCode.BUSY);
        assertThat(ends.get(1)).isNotDone();
        assertThat(fourth).isNotDone();
        assertThat(fifth).isNotDone();
        assertThat(metrics.getLoginsGivenUp().getTotalCount()).isEqualTo(2);
    }

    @Test
    void deadlineEnds() throws Exception {
        PendingLogins logins = new PendingLogins(2, Duration.ofMillis(10), metrics);
        CompletableFuture<SteleException> end = new CompletableFuture<>();
        logins.begin(end::complete);
        assertThat(end.get(120, SECONDS).code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(end.join()).hasMessageContaining("stele.login-timeout");
    }

    @Test
    void failuresAreCountedAndSlowed() {
        Authenticator authenticator =
                new Authenticator(
                        new SecurityConfig().setSharedSecret("a secret of length 24 ok"),
                        Clock.systemUTC(),
                        metrics,
                        Optional.empty());
        long start = System.nanoTime();
        assertThatThrownBy(() -> authenticator.authenticateToken("wrong"))
                .isInstanceOf(SteleException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isGreaterThanOrEqualTo(Authenticator.FAILURE_DELAY);
        assertThat(metrics.getAuthenticationFailures().getTotalCount()).isEqualTo(1);
    }
}
