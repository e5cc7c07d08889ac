package io.stele.sidecar.postgresql.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.postgresql.wire.Message;
import io.stele.sidecar.postgresql.wire.MessageReader;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.Replies;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The users that may log in over PostgreSQL's protocol: those of a file, each with a password, or
 * without a file any name with the shared secret as its password. Thread-safe.
 */
public final class PostgresUsers {
    /** Most bytes of a message of a login: names and proofs are far shorter. */
    static final int MAX_MESSAGE_BYTES = 8 << 10;

    private static final int SASL = 10;
    private static final int SASL_CONTINUE = 11;
    private static final int SASL_FINAL = 12;
    private static final String MECHANISM = "SCRAM-SHA-256";
    private static final int SALT_BYTES = 16;
    private static final int NONCE_BYTES = 18;

    private final Map<String, ScramVerifier> users;
    private final ScramVerifier any; // of the shared secret, or of nobody
    private final boolean takesAnyName;
    private final SecureRandom random;
    private final Authenticator authenticator;

    private PostgresUsers(
            Map<String, ScramVerifier> users,
            ScramVerifier any,
            boolean takesAnyName,
            SecureRandom random,
            Authenticator authenticator) {
        this.users = Map.copyOf(users);
        this.any = requireNonNull(any, "any is null");
        this.takesAnyName = takesAnyName;
        this.random = requireNonNull(random, "random is null");
        this.authenticator = requireNonNull(authenticator, "authenticator is null");
    }

    public static PostgresUsers withSecret(
            String secret, SecureRandom random, Authenticator authenticator) {
        return new PostgresUsers(Map.of(), verifier(secret, random), true, random, authenticator);
    }

    /**
     * The users of a file with lines {@code user:SCRAM-SHA-256$4096:salt$StoredKey:ServerKey}, as
     * PostgreSQL's pg_authid has them; empty lines and lines that begin with # have no meaning.
     *
     * @throws IllegalArgumentException naming the line
     */
    public static PostgresUsers ofFile(
            Path file, SecureRandom random, Authenticator authenticator) {
        Map<String, ScramVerifier> users = new HashMap<>();
        int number = 0;
        try {
            for (String line : Files.readAllLines(file)) {
                number++;
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                int colon = line.indexOf(':');
                Optional<ScramVerifier> verifier =
                        ScramVerifier.parse(line.substring(colon + 1).strip());
                if (colon <= 0 || verifier.isEmpty()) {
                    throw new IllegalArgumentException(
                            "stele.postgresql.users-file: expected user:SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey in line %s of %s, found another text"
                                    .formatted(number, file));
                }
                users.put(line.substring(0, colon).strip(), verifier.get());
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "stele.postgresql.users-file: expected a file of text, found " + e, e);
        }
        byte[] nobody = new byte[SALT_BYTES];
        random.nextBytes(nobody);
        return new PostgresUsers(
                users,
                verifier(Base64.getEncoder().encodeToString(nobody), random),
                false,
                random,
                authenticator);
    }

    private static ScramVerifier verifier(String password, SecureRandom random) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return ScramVerifier.of(password, salt, ScramVerifier.DEFAULT_ITERATIONS);
    }

    /**
     * Logs a client in.
     *
     * @throws PostgresException INVALID_PASSWORD after a delay, PROTOCOL_VIOLATION
     */
    public void login(String user, MessageReader in, Replies out) throws IOException {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        ScramVerifier verifier = users.get(user);
        if (verifier == null) {
            verifier = takesAnyName ? any : any.mock(user);
        }
        boolean isKnown = takesAnyName || users.containsKey(user);
        ScramLogin login =
                new ScramLogin(verifier, isKnown, Base64.getEncoder().encodeToString(nonce));
        out.authentication(SASL, (MECHANISM + "\0\0").getBytes(UTF_8));
        out.out().flush();
        Message initial = password(in);
        String mechanism = initial.getText();
        if (!mechanism.equals(MECHANISM)) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected a login by %s, found another".formatted(MECHANISM));
        }
        int length = initial.getInt();
        out.authentication(SASL_CONTINUE, login.first(initial.getBytes(Math.max(length, 0))));
        out.out().flush();
        Message last = password(in);
        Optional<byte[]> answer = login.last(last.getBytes(last.remaining()));
        if (answer.isEmpty()) {
            authenticator.refused();
            throw new PostgresException(
                    SqlState.INVALID_PASSWORD,
                    "Expected the password of the user, found another, or no such user");
        }
        out.authentication(SASL_FINAL, answer.get());
        out.authentication(0, new byte[0]);
    }

    private static Message password(MessageReader in) throws IOException {
        Message message = in.read(MAX_MESSAGE_BYTES);
        if (message == null) {
            throw new EOFException("The client left during its login");
        }
        if (message.type() != 'p') {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected a message of type 'p', found '%s'".formatted(message.type()));
        }
        return message;
    }
}
