package io.stele.sidecar.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The verifier by which a server checks a password in a login by SCRAM-SHA-256 (RFC 5802, RFC
 * 7677); the password cannot be read from it. Immutable.
 *
 * @param iterations of the hash
 * @param salt of the hash
 * @param storedKey hash of the key that only a client with the password can show
 * @param serverKey by which the server shows that it has this verifier
 */
public record ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
    private static final int KEY_BYTES = 32;
    private static final int SALT_BYTES = 16;
    private static final int DEFAULT_ITERATIONS = 4_096; // as in PostgreSQL

    /** As in PostgreSQL's pg_authid: SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey. */
    private static final Pattern TEXT =
            Pattern.compile(
                    "SCRAM-SHA-256\\$([0-9]{1,7}):([A-Za-z0-9+/=]+)\\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");

    public ScramVerifier {
        requireNonNull(salt, "salt is null");
        requireNonNull(storedKey, "storedKey is null");
        requireNonNull(serverKey, "serverKey is null");
    }

    /** The verifier of a password, with a new salt. */
    public static ScramVerifier of(String password, SecureRandom random) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return of(password, salt, DEFAULT_ITERATIONS);
    }

    /** A verifier for which no password is known. */
    public static ScramVerifier ofNobody(SecureRandom random) {
        byte[] nobody = new byte[SALT_BYTES];
        random.nextBytes(nobody);
        return of(Base64.getEncoder().encodeToString(nobody), random);
    }

    public static ScramVerifier of(String password, byte[] salt, int iterations) {
        byte[] salted = salted(password, salt, iterations);
        return new ScramVerifier(
                iterations, salt, sha256(hmac(salted, "Client Key")), hmac(salted, "Server Key"));
    }

    private static byte[] salted(String password, byte[] salt, int iterations) {
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(
                            new PBEKeySpec(
                                    password.toCharArray(),
                                    salt,
                                    iterations,
                                    KEY_BYTES * Byte.SIZE))
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JVM has no PBKDF2 with SHA-256", e);
        }
    }

    /** Whether a password is the one of this verifier; takes as long as its iterations do. */
    public boolean isPassword(String password) {
        if (password.isEmpty()) {
            return false;
        }
        byte[] clientKey = hmac(salted(password, salt, iterations), "Client Key");
        return MessageDigest.isEqual(sha256(clientKey), storedKey);
    }

    /** Reads PostgreSQL's form; empty if it is another text. */
    public static Optional<ScramVerifier> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            byte[] salt = Base64.getDecoder().decode(matcher.group(2));
            byte[] storedKey = Base64.getDecoder().decode(matcher.group(3));
            byte[] serverKey = Base64.getDecoder().decode(matcher.group(4));
            int iterations = Integer.parseInt(matcher.group(1));
            return iterations > 0 && storedKey.length == KEY_BYTES && serverKey.length == KEY_BYTES
                    ? Optional.of(new ScramVerifier(iterations, salt, storedKey, serverKey))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * A verifier that no password matches, whose salt is constant for a name, like that of a user.
     */
    public ScramVerifier mock(String name) {
        byte[] mockSalt = Arrays.copyOf(hmac(serverKey, name), salt.length);
        return new ScramVerifier(iterations, mockSalt, storedKey, serverKey);
    }

    /** Whether a client's proof for the messages of a login is right. */
    public boolean accepts(byte[] proof, String messages) {
        byte[] signature = hmac(storedKey, messages);
        if (proof.length != signature.length) {
            return false;
        }
        byte[] clientKey = new byte[proof.length];
        for (int i = 0; i < proof.length; i++) {
            clientKey[i] = (byte) (proof[i] ^ signature[i]);
        }
        return MessageDigest.isEqual(sha256(clientKey), storedKey);
    }

    /** The server's signature of the messages of a login. */
    public byte[] sign(String messages) {
        return hmac(serverKey, messages);
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JVM has no HMAC with SHA-256", e);
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JVM has no SHA-256", e);
        }
    }
}
