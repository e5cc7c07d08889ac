package io.stele.protocol.auth;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * An issuer and verifier of JSON Web Tokens (HS256) that prove knowledge of the shared secret
 * without sending it. The key is the SHA-256 of the secret. A token contains a subject, {@code iat}
 * and {@code exp}, and is valid for five minutes. Thread-safe.
 */
public final class SharedSecretToken {
    /** How long a token is valid. */
    public static final Duration LIFETIME = Duration.ofMinutes(5);

    /** The shortest accepted secret; a shorter one could be guessed. */
    public static final int MIN_SECRET_CHARACTERS = 16;

    // One minute: clocks of machines with time synchronisation never differ by more.
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);
    private static final int MAX_TOKEN_CHARACTERS = 4096;
    private static final String ALGORITHM = "HmacSHA256";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final String HEADER =
            ENCODER.encodeToString(
                    "{\"alg\":\"HS256\",\"typ\":\"JWT\"}".getBytes(StandardCharsets.UTF_8));

    private final byte[] secretHash;
    private final SecretKeySpec key;
    private final Clock clock;

    public SharedSecretToken(String secret, Clock clock) {
        requireNonNull(secret, "secret is null");
        this.clock = requireNonNull(clock, "clock is null");
        if (secret.length() < MIN_SECRET_CHARACTERS) {
            throw new IllegalArgumentException(
                    "Expected a shared secret of at least "
                            + MIN_SECRET_CHARACTERS
                            + " characters, found "
                            + secret.length());
        }
        this.secretHash = sha256(secret);
        this.key = new SecretKeySpec(secretHash, ALGORITHM);
    }

    /** A new token for a subject (the name of the caller, for logs). */
    public String issue(String subject) {
        Instant now = clock.instant();
        String claims =
                JSON.createObjectNode()
                        .put("sub", requireNonNull(subject, "subject is null"))
                        .put("iat", now.getEpochSecond())
                        .put("exp", now.plus(LIFETIME).getEpochSecond())
                        .toString();
        String signed =
                HEADER + "." + ENCODER.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
        return signed + "." + ENCODER.encodeToString(sign(signed));
    }

    /**
     * Checks a token and returns its subject.
     *
     * @throws SteleException UNAUTHENTICATED if it is of another secret, was changed, is expired,
     *     or is from the future
     */
    public String verify(String token) {
        if (token.length() > MAX_TOKEN_CHARACTERS) {
            throw refused(
                    "Expected a token of at most "
                            + MAX_TOKEN_CHARACTERS
                            + " characters, found "
                            + token.length());
        }
        int first = token.indexOf('.');
        int last = token.lastIndexOf('.');
        if (first < 0 || first == last) {
            throw refused("Expected a token of three parts");
        }
        // The header is compared, not interpreted, so that a sender cannot choose another
        // algorithm.
        boolean ours = token.substring(0, first).equals(HEADER);
        byte[] signature = decode(token.substring(last + 1));
        if (!MessageDigest.isEqual(signature, sign(token.substring(0, last))) || !ours) {
            throw refused("The token is not signed with this sidecar's shared secret");
        }
        return verifyClaims(decode(token.substring(first + 1, last)));
    }

    /**
     * Checks the value of an {@code authorization} header, {@code Bearer <token>} or {@code Basic
     * <any user:secret>}, and returns the subject or user.
     *
     * @throws SteleException UNAUTHENTICATED if it is absent, of another scheme, or wrong
     */
    public String verifyAuthorization(Optional<String> header) {
        String value =
                header.orElseThrow(
                        () ->
                                refused(
                                        "No credentials: send 'authorization: Bearer <token>' or Basic with the shared secret"));
        if (value.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return verify(value.substring(7).strip());
        }
        if (value.regionMatches(true, 0, "Basic ", 0, 6)) {
            return verifyBasic(value.substring(6).strip());
        }
        throw refused("Expected the authorization scheme Bearer or Basic");
    }

    /** Checks a secret given as a password, in constant time. */
    public boolean isSecret(String password) {
        return MessageDigest.isEqual(sha256(password), secretHash);
    }

    private String verifyBasic(String credentials) {
        byte[] decoded;
        try {
            decoded = Base64.getDecoder().decode(credentials);
        } catch (IllegalArgumentException e) {
            throw refused("The Basic credentials are not base64");
        }
        String text = new String(decoded, StandardCharsets.UTF_8);
        int colon = text.indexOf(':');
        if (colon < 0 || !isSecret(text.substring(colon + 1))) {
            throw refused("The password is not this sidecar's shared secret");
        }
        return text.substring(0, colon);
    }

    private String verifyClaims(byte[] claims) {
        JsonNode node;
        try {
            node = JSON.readTree(new String(claims, StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw refused("The claims of the token are not JSON");
        }
        if (!node.path("exp").isIntegralNumber() || !node.path("iat").isIntegralNumber()) {
            throw refused("The token has no iat or exp");
        }
        long now = clock.instant().getEpochSecond();
        long expires = node.path("exp").longValue();
        long issued = node.path("iat").longValue();
        if (now >= expires) {
            throw refused(
                    "The token expired "
                            + (now - expires)
                            + " s ago (are the clocks of both machines right?)");
        }
        if (issued > now + CLOCK_SKEW.toSeconds() || expires - issued > LIFETIME.toSeconds()) {
            throw refused(
                    "The token is from the future or lives too long: issued "
                            + issued
                            + ", expires "
                            + expires
                            + ", now "
                            + now);
        }
        return node.path("sub").asText("");
    }

    private byte[] sign(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is required of every Java platform", e);
        }
    }

    private static byte[] decode(String part) {
        try {
            return Base64.getUrlDecoder().decode(part);
        } catch (IllegalArgumentException e) {
            throw refused("The token is not base64url");
        }
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("SHA-256 is required of every Java platform", e);
        }
    }

    private static SteleException refused(String message) {
        return new SteleException(ErrorCode.UNAUTHENTICATED, message);
    }
}
