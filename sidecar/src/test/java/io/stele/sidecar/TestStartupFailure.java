package io.stele.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every wrong setting ends in one line that names the property, what was expected and what was
 * found.
 */
final class TestStartupFailure {
    @TempDir private Path directory;
    private final Map<String, String> properties = new HashMap<>();

    @BeforeEach
    void validProperties() {
        properties.put("stele.shared-secret", "a secret for the tests");
        properties.put("stele.warehouse.path", directory.resolve("warehouse").toString());
        properties.put("stele.wal.path", directory.resolve("wal").toString());
        properties.put("http-server.http.port", "0");
        properties.put("stele.flight.port", "0");
        properties.put("stele.client.port", "0");
    }

    @Test
    void unknownKey() {
        properties.put("stele.flight.prot", "1");
        assertThat(messageOfStart())
                .contains("'stele.flight.prot' was not used")
                .contains("'stele.flight.port'");
    }

    @Test
    void numberOutOfRange() {
        properties.put("stele.flight.port", "70000");
        assertThat(messageOfStart())
                .contains("stele.flight.port must be less than or equal to 65535, found '70000'");
    }

    @Test
    void valueOfAnotherType() {
        properties.put("stele.client.max-connections", "many");
        assertThat(messageOfStart())
                .contains("stele.client.max-connections must be a value of type int, found 'many'");
    }

    @Test
    void missingSecret() {
        properties.remove("stele.shared-secret");
        assertThat(messageOfStart())
                .contains(
                        "stele.shared-secret must be set to a secret of at least 16 characters, found nothing");
    }

    /** The length of a reference is not that of what it stands for. */
    @Test
    void shortSecretOfAnEnvironmentVariable() {
        String shortVariable =
                System.getenv().entrySet().stream()
                        .filter(variable -> variable.getKey().matches("[A-Z_]+"))
                        .filter(variable -> variable.getValue().matches("[!-~]{1,15}"))
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElseThrow();
        properties.put("stele.shared-secret", "${ENV:" + shortVariable + "}");
        assertThat(messageOfStart())
                .contains(
                        "stele.shared-secret must be set to a secret of at least 16 characters, found another value in ${ENV:"
                                + shortVariable
                                + "}");
    }

    @Test
    void shortSecretIsNotShown() {
        properties.put("stele.shared-secret", "s3cret");
        assertThat(messageOfStart())
                .contains(
                        "stele.shared-secret must be set to a secret of at least 16 characters, found 6 characters")
                .doesNotContain("s3cret");
    }

    @Test
    void missingEnvironmentVariable() {
        properties.put("stele.shared-secret", "${ENV:STELE_NO_SUCH_VARIABLE}");
        assertThat(messageOfStart()).contains("STELE_NO_SUCH_VARIABLE");
    }

    @Test
    void tlsWithoutKeystore() {
        properties.remove("http-server.http.port");
        properties.put("stele.tls.enabled", "true");
        assertThat(messageOfStart())
                .contains("stele.tls.keystore.path must be set when stele.tls.enabled is true");
    }

    private String messageOfStart() {
        StartupFailure failure =
                catchThrowableOfType(
                        StartupFailure.class, () -> SidecarServer.start(properties).close());
        assertThat(failure).isNotNull();
        assertThat(failure.getMessage()).startsWith("Stele sidecar cannot start: ").hasLineCount(1);
        return failure.getMessage();
    }
}
