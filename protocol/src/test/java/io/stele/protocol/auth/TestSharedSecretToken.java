package io.stele.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TestSharedSecretToken {
    private static final String SECRET = "correct horse battery staple";

    private final SetClock clock = new SetClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final SharedSecretToken tokens = new SharedSecretToken(SECRET, clock);

    @Test
    void testGoldenToken() {
        // Made with another implementation of RFC 7519: HMAC-SHA256 under SHA-256 of the secret.
        String token = tokens.issue("test");
        assertThat(token.split("\\.")[0]).isEqualTo("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9");
        assertThat(
                        new String(
                                Base64.getUrlDecoder().decode(token.split("\\.")[1]),
                                StandardCharsets.UTF_8))
                .isEqualTo("{\"sub\":\"test\",\"iat\":1767225600,\"exp\":1767225900}");
        assertThat(token.split("\\.")[2]).isEqualTo("q7T4QOL6c_MONVUjmr2rCcBXR5Uy_zm7207-YRGcfjU");
        assertThat(tokens.verify(token)).isEqualTo("test");
    }

    @Test
    void testTokensExpire() {
        String token = tokens.issue("test");
        clock.now = clock.now.plus(SharedSecretToken.LIFETIME).minusSeconds(1);
        assertThat(tokens.verify(token)).isEqualTo("test");
        clock.now = clock.now.plusSeconds(4);
        assertRefused(token, "expired 3 s ago");
    }

    @Test
    void testTokensOfTheFutureAreRefusedBeyondTheSkewOfClocks() {
        clock.now = clock.now.plusSeconds(59);
        String near = tokens.issue("test");
        clock.now = clock.now.plusSeconds(2);
        String far = tokens.issue("test");
        clock.now = clock.now.minusSeconds(61);
        assertThat(tokens.verify(near)).isEqualTo("test");
        assertRefused(far, "from the future");
    }

    @Test
    void testNoChangedCharacterIsAccepted() {
        String token = tokens.issue("test");
        for (int i = 0; i < token.length() - 1; i++) { // the last one has bits that say nothing
            char other = token.charAt(i) == 'A' ? 'B' : 'A';
            String changed = token.substring(0, i) + other + token.substring(i + 1);
            assertThatThrownBy(() -> tokens.verify(changed))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
        }
    }

    @Test
    void testOtherAlgorithmsAndSecretsAreRefused() {
        String token = tokens.issue("test");
        String none =
                Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8));
        assertRefused(none + "." + token.split("\\.")[1] + ".", "not signed");
        assertRefused(
                new SharedSecretToken("another secret of a sidecar", clock).issue("test"),
                "not signed");
        assertRefused("", "three parts");
        assertRefused("a.b", "three parts");
        assertRefused("a.b.$", "base64url");
        assertRefused("a".repeat(10_000), "at most");
        assertThatThrownBy(() -> new SharedSecretToken("short", clock))
                .hasMessageContaining("at least 16");
    }

    @Test
    void testAuthorizationHeaders() {
        assertThat(tokens.verifyAuthorization(Optional.of("Bearer " + tokens.issue("me"))))
                .isEqualTo("me");
        assertThat(tokens.verifyAuthorization(Optional.of("Basic " + base64("anna:" + SECRET))))
                .isEqualTo("anna");
        assertThat(tokens.verifyAuthorization(Optional.of("bearer " + tokens.issue("me"))))
                .isEqualTo("me");
        for (String wrong :
                new String[] {
                    "Basic " + base64("anna:wrong"),
                    "Basic " + base64("anna"),
                    "Basic ***",
                    "Digest x",
                    "Bearer x",
                    ""
                }) {
            assertThatThrownBy(() -> tokens.verifyAuthorization(Optional.of(wrong)))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED))
                    .hasMessageNotContaining(SECRET);
        }
        assertThatThrownBy(() -> tokens.verifyAuthorization(Optional.empty()))
                .hasMessageContaining("No credentials");
    }

    private void assertRefused(String token, String message) {
        assertThatThrownBy(() -> tokens.verify(token))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED))
                .hasMessageContaining(message);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A clock that is set by hand. */
    private static final class SetClock extends Clock {
        private Instant now;

        SetClock(Instant now) {
            this.now = now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }
}
