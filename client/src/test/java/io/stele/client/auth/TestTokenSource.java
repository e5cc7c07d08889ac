package io.stele.client.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.auth.SharedSecretToken;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestTokenSource {
    private static final String SECRET = "correct horse battery staple";

    private final SetClock clock = new SetClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final SharedSecretToken tokens = new SharedSecretToken(SECRET, clock);

    @Test
    void testTokenSourceRenewsInTime() {
        TokenSource source = new TokenSource(SECRET, clock, "client");
        String first = source.token();
        clock.now = clock.now.plus(Duration.ofSeconds(150));
        assertThat(source.token()).isEqualTo(first);
        clock.now = clock.now.plusSeconds(1);
        assertThat(source.token()).isNotEqualTo(first);
        assertThat(tokens.verifyAuthorization(Optional.of(source.bearer()))).isEqualTo("client");
    }

    /** A clock that is set by hand. */
    private static final class SetClock extends Clock {
        private Instant now;

        SetClock(Instant now) {
            this.now = now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }
}
