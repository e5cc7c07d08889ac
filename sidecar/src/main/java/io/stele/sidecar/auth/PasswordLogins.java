package io.stele.sidecar.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.auth.SharedSecretToken;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The check of users of the password file that log in with a plain password, and of the tokens that
 * they then receive. A token is valid in this process only, and never counts as the shared secret,
 * because it is signed with a secret that only this process has. Thread-safe.
 *
 * <p>Hashing a password takes milliseconds, on purpose. So a password that was right is remembered,
 * by a keyed digest, and few are hashed at a time.
 */
final class PasswordLogins {
    /** The start of a user's token; tokens of the shared secret begin with a header in Base64. */
    private static final String PREFIX = "user~";

    // Strangers use at most this many cores, and wait for each other
    private static final int MAX_HASHING = 2;
    private static final int MAX_WAITING = 128; // as many logins as may be pending at a port
    private static final int SECRET_BYTES = 32;
    private static final String DIGEST = "HmacSHA256";

    private final PasswordFile users;
    private final ScramVerifier nobody;
    private final SharedSecretToken tokens;
    private final SecretKeySpec digestKey;
    private final Semaphore hashing = new Semaphore(MAX_HASHING, true);
    private final Map<String, byte[]> verified = new ConcurrentHashMap<>(); // at most one a user

    PasswordLogins(PasswordFile users, Clock clock, SecureRandom random) {
        this.users = requireNonNull(users, "users is null");
        this.nobody = ScramVerifier.ofNobody(random);
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        this.tokens = new SharedSecretToken(Base64.getEncoder().encodeToString(secret), clock);
        byte[] key = new byte[SECRET_BYTES];
        random.nextBytes(key);
        this.digestKey = new SecretKeySpec(key, DIGEST);
    }

    static boolean isToken(String token) {
        return token.startsWith(PREFIX);
    }

    String issueToken(String user) {
        return PREFIX + tokens.issue(user);
    }

    /**
     * The user of a token.
     *
     * @throws SteleException UNAUTHENTICATED if it is not of this process, was changed, or has
     *     expired
     */
    AuthenticatedUser verifyToken(String token) {
        try {
            return AuthenticatedUser.withPassword(tokens.verify(token.substring(PREFIX.length())));
        } catch (SteleException refused) {
            throw new SteleException(
                    ErrorCode.UNAUTHENTICATED,
                    "Expected a token that this sidecar has issued within "
                            + SharedSecretToken.LIFETIME.toMinutes()
                            + " minutes, found another: log in again",
                    refused);
        }
    }

    /**
     * The user, if the password is right. The check of an unknown user takes as long.
     *
     * @throws SteleException BUSY if too many passwords wait to be hashed
     */
    Optional<AuthenticatedUser> verifyPassword(String user, String password) {
        Optional<ScramVerifier> known = users.find(user);
        byte[] digest = digest(password);
        byte[] right = verified.get(user);
        if (right != null && MessageDigest.isEqual(right, digest)) {
            return Optional.of(AuthenticatedUser.withPassword(user));
        }
        if (!isPassword(known.orElse(nobody), password) || known.isEmpty()) {
            return Optional.empty();
        }
        verified.put(user, digest);
        return Optional.of(AuthenticatedUser.withPassword(user));
    }

    private boolean isPassword(ScramVerifier verifier, String password) {
        if (hashing.getQueueLength() >= MAX_WAITING) {
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected at most %s logins by password at a time, found more"
                            .formatted(MAX_WAITING));
        }
        try {
            hashing.acquire();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            return verifier.isPassword(password);
        } finally {
            hashing.release();
        }
    }

    private byte[] digest(String password) {
        try {
            Mac mac = Mac.getInstance(DIGEST);
            mac.init(digestKey);
            return mac.doFinal(password.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JVM has no HMAC with SHA-256", e);
        }
    }
}
