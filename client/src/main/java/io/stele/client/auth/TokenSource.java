package io.stele.client.auth;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.auth.SharedSecretToken;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A source of a client's authentication tokens, which caches each token for half of its lifetime
 * and then issues a new one. Thread-safe.
 */
public final class TokenSource {
    private static final Duration RENEW_AFTER = SharedSecretToken.LIFETIME.dividedBy(2);

    private final SharedSecretToken secret;
    private final Clock clock;
    private final String subject;
    private volatile @Nullable Issued current;

    public TokenSource(String secret, Clock clock, String subject) {
        this.secret = new SharedSecretToken(secret, clock);
        this.clock = requireNonNull(clock, "clock is null");
        this.subject = requireNonNull(subject, "subject is null");
    }

    public String token() {
        Issued last = current;
        Instant now = clock.instant();
        if (last == null || now.isBefore(last.at) || now.isAfter(last.at.plus(RENEW_AFTER))) {
            last = new Issued(secret.issue(subject), now);
            current = last;
        }
        return last.token;
    }

    /** The value of an {@code authorization} header. */
    public String bearer() {
        return "Bearer " + token();
    }

    private record Issued(String token, Instant at) {}
}
