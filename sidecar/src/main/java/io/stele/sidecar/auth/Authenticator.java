package io.stele.sidecar.auth;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.protocol.SteleException;
import io.stele.protocol.auth.SharedSecretToken;
import io.stele.sidecar.metrics.AccessMetrics;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * The check whether a caller holds the shared secret, which counts and delays callers that do not.
 * One instance serves every port. Thread safe.
 */
public final class Authenticator {
    static final Duration FAILURE_DELAY = Duration.ofMillis(250);

    // Each holds a thread of the HTTP server, or what one Flight connection has sent (8 MiB).
    // Failures beyond are answered at once: a stranger's calls must not hold more.
    private static final int MAX_DELAYED = 8;

    private final Semaphore delays = new Semaphore(MAX_DELAYED);
    private final SharedSecretToken tokens;
    private final AccessMetrics metrics;

    @Inject
    public Authenticator(SecurityConfig config, Clock clock, AccessMetrics metrics) {
        this.tokens = new SharedSecretToken(config.getSharedSecret(), clock);
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /**
     * Checks the value of an {@code authorization} header, {@code Bearer} or {@code Basic}, and
     * returns the name that the caller claims.
     *
     * @throws SteleException UNAUTHENTICATED; the message never repeats the header's value
     */
    public String authenticate(Optional<String> authorization) {
        return counted(() -> tokens.verifyAuthorization(authorization));
    }

    /**
     * Checks a bare token and returns its subject.
     *
     * @throws SteleException UNAUTHENTICATED
     */
    public String authenticateToken(String token) {
        return counted(() -> tokens.verify(token));
    }

    /** A token for a caller that has just proved that it has the secret. */
    public String issueToken(String subject) {
        return tokens.issue(subject);
    }

    private String counted(Supplier<String> check) {
        try {
            return check.get();
        } catch (SteleException e) {
            refused();
            throw e;
        }
    }

    /** Counts and delays a caller whose login, by another protocol, was refused. */
    public void refused() {
        metrics.authenticationFailed();
        delay();
    }

    private void delay() {
        if (!delays.tryAcquire()) {
            return;
        }
        try {
            Thread.sleep(FAILURE_DELAY);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            delays.release();
        }
    }
}
