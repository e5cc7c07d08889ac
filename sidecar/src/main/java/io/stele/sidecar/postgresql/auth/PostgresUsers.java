package io.stele.sidecar.postgresql.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.auth.PasswordFile;
import io.stele.sidecar.auth.ScramVerifier;
import io.stele.sidecar.postgresql.wire.Message;
import io.stele.sidecar.postgresql.wire.MessageReader;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.Replies;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.EOFException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/**
 * The login of clients over PostgreSQL's protocol, by SCRAM-SHA-256, as users of the password file
 * or, without a file, under any name with the shared secret. Thread-safe.
 */
public final class PostgresUsers {
    /** Most bytes of a message of a login: names and proofs are far shorter. */
    static final int MAX_MESSAGE_BYTES = 8 << 10;

    private static final int SASL = 10;
    private static final int SASL_CONTINUE = 11;
    private static final int SASL_FINAL = 12;
    private static final String MECHANISM = "SCRAM-SHA-256";
    private static final int NONCE_BYTES = 18;

    private final Optional<PasswordFile> users;
    private final ScramVerifier any; // of the shared secret, or of nobody
    private final SecureRandom random;
    private final Authenticator authenticator;

    private PostgresUsers(
            Optional<PasswordFile> users,
            ScramVerifier any,
            SecureRandom random,
            Authenticator authenticator) {
        this.users = requireNonNull(users, "users is null");
        this.any = requireNonNull(any, "any is null");
        this.random = requireNonNull(random, "random is null");
        this.authenticator = requireNonNull(authenticator, "authenticator is null");
    }

    public static PostgresUsers withSecret(
            String secret, SecureRandom random, Authenticator authenticator) {
        return new PostgresUsers(
                Optional.empty(), ScramVerifier.of(secret, random), random, authenticator);
    }

    public static PostgresUsers ofFile(
            PasswordFile file, SecureRandom random, Authenticator authenticator) {
        return new PostgresUsers(
                Optional.of(file), ScramVerifier.ofNobody(random), random, authenticator);
    }

    /**
     * Logs a client in.
     *
     * @throws PostgresException INVALID_PASSWORD after a delay, PROTOCOL_VIOLATION
     */
    public AuthenticatedUser login(String user, MessageReader in, Replies out) throws IOException {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        boolean takesAnyName = users.isEmpty();
        Optional<ScramVerifier> known = users.flatMap(file -> file.find(user));
        ScramVerifier verifier = known.orElseGet(() -> takesAnyName ? any : any.mock(user));
        ScramLogin login =
                new ScramLogin(
                        verifier,
                        takesAnyName || known.isPresent(),
                        Base64.getEncoder().encodeToString(nonce));
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
        return new AuthenticatedUser(user, takesAnyName);
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
