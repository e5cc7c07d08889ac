package io.stele.sidecar.postgresql.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.sidecar.auth.ScramVerifier;
import io.stele.sidecar.postgresql.wire.PostgresException;
import java.util.Base64;
import org.junit.jupiter.api.Test;

final class TestScramLogin {
    private static final byte[] SALT = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
    private static final String CLIENT_FIRST = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
    private static final String NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";

    /** The example of RFC 7677, section 3. */
    @Test
    void theExampleOfTheStandardIsAccepted() {
        ScramLogin login = new ScramLogin(ScramVerifier.of("pencil", SALT, 4096), true, NONCE);
        assertThat(new String(login.first(CLIENT_FIRST.getBytes(UTF_8)), UTF_8))
                .isEqualTo(
                        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
        assertThat(
                        login.last(
                                        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
                                                .getBytes(UTF_8))
                                .map(answer -> new String(answer, UTF_8)))
                .hasValue("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    @Test
    void othersAreRefused() {
        String last =
                "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
        ScramLogin password = new ScramLogin(ScramVerifier.of("pen", SALT, 4096), true, NONCE);
        byte[] unused = password.first(CLIENT_FIRST.getBytes(UTF_8));
        assertThat(password.last(last.getBytes(UTF_8))).isEmpty();
        ScramLogin user = new ScramLogin(ScramVerifier.of("pencil", SALT, 4096), false, NONCE);
        unused = user.first(CLIENT_FIRST.getBytes(UTF_8));
        assertThat(user.last(last.getBytes(UTF_8))).isEmpty();
        ScramLogin replayed =
                new ScramLogin(ScramVerifier.of("pencil", SALT, 4096), true, "another nonce");
        unused = replayed.first(CLIENT_FIRST.getBytes(UTF_8));
        assertThat(replayed.last(last.getBytes(UTF_8))).isEmpty();
        ScramLogin binding = new ScramLogin(ScramVerifier.of("pencil", SALT, 4096), true, NONCE);
        assertThatThrownBy(() -> binding.first("p=tls-server-end-point,,n=u,r=x".getBytes(UTF_8)))
                .isInstanceOf(PostgresException.class);
    }

    @Test
    void verifiersOfPostgresAreRead() {
        ScramVerifier verifier =
                ScramVerifier.parse(
                                "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=")
                        .orElseThrow();
        ScramVerifier expected = ScramVerifier.of("pencil", SALT, 4096);
        assertThat(verifier.storedKey()).isEqualTo(expected.storedKey());
        assertThat(verifier.serverKey()).isEqualTo(expected.serverKey());
        assertThat(ScramVerifier.parse("md5abc")).isEmpty();
    }
}
