package io.stele.sidecar.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.metrics.AccessMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users of the password file, beside the shared secret. */
final class TestAuthenticator {
    private static final String SECRET = "a secret of length 24 ok";

    @TempDir private Path directory;
    private final AccessMetrics metrics = new AccessMetrics();
    private Authenticator authenticator;

    @BeforeEach
    void readUsers() throws IOException {
        Path file = directory.resolve("users");
        Files.writeString(file, TestingUsers.line("ann", "pencil"));
        authenticator = authenticator(Optional.of(PasswordFile.read(file)));
    }

    private Authenticator authenticator(Optional<PasswordFile> users) {
        return new Authenticator(
                new SecurityConfig().setSharedSecret(SECRET), Clock.systemUTC(), metrics, users);
    }

    private static Optional<String> basic(String user, String password) {
        byte[] pair = (user + ":" + password).getBytes(UTF_8);
        return Optional.of("Basic " + Base64.getEncoder().encodeToString(pair));
    }

    private static void assertRefused(ThrowingCallable login) {
        assertThatThrownBy(login)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
    }

    @Test
    void passwordAndSecretAreTwoKindsOfLogin() {
        for (int i = 0; i < 2; i++) { // the second time by what is remembered
            assertThat(authenticator.authenticateUser(basic("ann", "pencil")))
                    .isEqualTo(AuthenticatedUser.withPassword("ann"));
        }
        assertThat(authenticator.authenticateUser(basic("ann", SECRET)))
                .isEqualTo(AuthenticatedUser.withSecret("ann"));
        assertThat(authenticator.authenticateUser(basic("someone", SECRET)))
                .isEqualTo(AuthenticatedUser.withSecret("someone"));
        assertThat(metrics.getAuthenticationFailures().getTotalCount()).isZero();
    }

    @Test
    void wrongPasswordsAreCountedAndSlowed() {
        assertThat(authenticator.authenticateUser(basic("ann", "pencil")).hasSecret()).isFalse();
        long start = System.nanoTime();
        assertRefused(() -> authenticator.authenticateUser(basic("ann", "pen")));
        assertRefused(() -> authenticator.authenticateUser(basic("bob", "pencil")));
        assertRefused(() -> authenticator.authenticateUser(basic("ann", "")));
        assertRefused(() -> authenticator.authenticateUser(Optional.empty()));
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isGreaterThanOrEqualTo(Authenticator.FAILURE_DELAY.multipliedBy(4));
        assertThat(metrics.getAuthenticationFailures().getTotalCount()).isEqualTo(4);
    }

    /** Else a user would have all rights at the ports of the secret alone. */
    @Test
    void aUsersTokenIsNotOneOfTheSecret() {
        String token = authenticator.issueToken(AuthenticatedUser.withPassword("ann"));
        assertThat(authenticator.authenticateUser(Optional.of("Bearer " + token)))
                .isEqualTo(AuthenticatedUser.withPassword("ann"));
        assertThat(authenticator.authenticateUserToken(token))
                .isEqualTo(AuthenticatedUser.withPassword("ann"));
        String bare = token.substring(token.indexOf('~') + 1);
        for (String tried : new String[] {token, bare}) {
            assertRefused(() -> authenticator.authenticateToken(tried));
            assertRefused(() -> authenticator.authenticate(Optional.of("Bearer " + tried)));
        }
        assertRefused(() -> authenticator.authenticateUserToken(bare));
        assertRefused(() -> authenticator.authenticate(basic("ann", "pencil")));

        String ofSecret = authenticator.issueToken(AuthenticatedUser.withSecret("ann"));
        assertThat(authenticator.authenticateToken(ofSecret)).isEqualTo("ann");
        assertRefused(() -> authenticator.authenticateUserToken("user~" + ofSecret));
    }

    @Test
    void tokensOfAnotherProcessAreRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("same"), TestingUsers.line("ann", "x"));
        Authenticator other = authenticator(Optional.of(PasswordFile.read(file)));
        String token = other.issueToken(AuthenticatedUser.withPassword("ann"));
        assertRefused(() -> authenticator.authenticateUserToken(token));
    }

    @Test
    void withoutAFileThereIsTheSecretOnly() {
        Authenticator plain = authenticator(Optional.empty());
        assertRefused(() -> plain.authenticateUser(basic("ann", "pencil")));
        assertThat(plain.authenticateUser(basic("ann", SECRET)).hasSecret()).isTrue();
    }

    @Test
    void verifiersKnowTheirPasswordOnly() {
        ScramVerifier verifier = ScramVerifier.of("pencil", new SecureRandom());
        assertThat(verifier.isPassword("pencil")).isTrue();
        assertThat(verifier.isPassword("Pencil")).isFalse();
        assertThat(verifier.isPassword("")).isFalse();
        assertThat(verifier.mock("ann").isPassword("pencil")).isFalse();
    }
}
