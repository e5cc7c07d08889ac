package io.stele.sidecar.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.auth.SharedSecretToken;
import io.stele.sidecar.metrics.AccessMetrics;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * The check of callers of every port by the shared secret or, at ports that admit users, by a
 * user's password. It counts callers that fail, and delays their replies. One instance serves every
 * port. Thread safe.
 */
public final class Authenticator {
    static final Duration FAILURE_DELAY = Duration.ofMillis(250);

    // Each holds a thread of the HTTP server, or the bytes that one Flight connection has sent (8
    // MiB). Further failures are answered at once, because a stranger's calls must not hold more.
    private static final int MAX_DELAYED = 8;

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    private final Semaphore delays = new Semaphore(MAX_DELAYED);
    private final SharedSecretToken tokens;
    private final Optional<PasswordLogins> users;
    private final AccessMetrics metrics;

    /**
     * @param users who may log in with passwords of their own; empty: there is no password file
     */
    @Inject
    public Authenticator(
            SecurityConfig config,
            Clock clock,
            AccessMetrics metrics,
            Optional<PasswordFile> users) {
        this.tokens = new SharedSecretToken(config.getSharedSecret(), clock);
        this.users = users.map(file -> new PasswordLogins(file, clock, new SecureRandom()));
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /**
     * Checks the value of an {@code authorization} header, {@code Bearer} or {@code Basic}, and
     * returns the name that the caller claims. Users of the password file are refused.
     *
     * @throws SteleException UNAUTHENTICATED; the message never repeats the header's value
     */
    public String authenticate(Optional<String> authorization) {
        return counted(() -> tokens.verifyAuthorization(authorization));
    }

    /**
     * Checks a bare token of the shared secret and returns its subject.
     *
     * @throws SteleException UNAUTHENTICATED
     */
    public String authenticateToken(String token) {
        return counted(() -> tokens.verify(token));
    }

    /**
     * As {@link #authenticate}, at a port that also admits users of the password file, by their
     * passwords and by the tokens of {@link #issueToken}.
     *
     * @throws SteleException UNAUTHENTICATED; BUSY if too many log in by password
     */
    public AuthenticatedUser authenticateUser(Optional<String> authorization) {
        return counted(() -> verifyUser(authorization));
    }

    /** As {@link #authenticateToken}, at a port that also admits users of the password file. */
    public AuthenticatedUser authenticateUserToken(String token) {
        return counted(() -> verifyUserToken(token));
    }

    private AuthenticatedUser verifyUser(Optional<String> authorization) {
        String value = authorization.orElse("");
        if (value.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return verifyUserToken(value.substring(BEARER.length()).strip());
        }
        if (value.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            Optional<AuthenticatedUser> user =
                    verifyPassword(value.substring(BASIC.length()).strip());
            if (user.isPresent()) {
                return user.get();
            }
        }
        return AuthenticatedUser.withSecret(tokens.verifyAuthorization(authorization));
    }

    private AuthenticatedUser verifyUserToken(String token) {
        return users.isPresent() && PasswordLogins.isToken(token)
                ? users.get().verifyToken(token)
                : AuthenticatedUser.withSecret(tokens.verify(token));
    }

    /** The user of Basic credentials, unless their password is wrong, or the shared secret. */
    private Optional<AuthenticatedUser> verifyPassword(String credentials) {
        if (users.isEmpty()) {
            return Optional.empty();
        }
        String text;
        try {
            text = new String(Base64.getDecoder().decode(credentials), UTF_8);
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty(); // as without a password file
        }
        int colon = text.indexOf(':');
        if (colon < 0 || tokens.isSecret(text.substring(colon + 1))) {
            return Optional.empty();
        }
        return users.get().verifyPassword(text.substring(0, colon), text.substring(colon + 1));
    }

    /** A token for a caller that has just logged in, with the same rights as the login. */
    public String issueToken(AuthenticatedUser user) {
        return user.hasSecret()
                ? tokens.issue(user.name())
                : users.orElseThrow().issueToken(user.name());
    }

    private <T> T counted(Supplier<T> check) {
        try {
            return check.get();
        } catch (SteleException e) {
            if (e.code() == ErrorCode.BUSY) {
                metrics.refusedAsBusy(); // the password was not checked
            } else {
                refused();
            }
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
