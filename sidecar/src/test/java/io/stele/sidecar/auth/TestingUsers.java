package io.stele.sidecar.auth;

import java.security.SecureRandom;
import java.util.Base64;

/** Lines of password files. */
public final class TestingUsers {
    private static final SecureRandom RANDOM = new SecureRandom();

    private TestingUsers() {}

    /** The line of a user, as PostgreSQL would write its password. */
    public static String line(String user, String password) {
        ScramVerifier verifier = ScramVerifier.of(password, RANDOM);
        Base64.Encoder base64 = Base64.getEncoder();
        return "%s:SCRAM-SHA-256$%d:%s$%s:%s%n"
                .formatted(
                        user,
                        verifier.iterations(),
                        base64.encodeToString(verifier.salt()),
                        base64.encodeToString(verifier.storedKey()),
                        base64.encodeToString(verifier.serverKey()));
    }
}
