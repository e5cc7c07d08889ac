package io.stele.sidecar.tls;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestTlsConfig {
    @TempDir private Path directory;

    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(TlsConfig.class)
                        .setEnabled(false)
                        .setKeystorePath(null)
                        .setKeystorePassword(""));
    }

    @Test
    void explicitMapping() throws IOException {
        Path keystore = Files.createFile(directory.resolve("keys.p12"));
        assertFullMapping(
                Map.of(
                        "stele.tls.enabled", "true",
                        "stele.tls.keystore.path", keystore.toString(),
                        "stele.tls.keystore.password", "of the store"),
                new TlsConfig()
                        .setEnabled(true)
                        .setKeystorePath(keystore.toFile())
                        .setKeystorePassword("of the store"));
    }

    @Test
    void nothingIsLoadedWhenOff() {
        assertThat(TlsIdentity.load(new TlsConfig())).isEmpty();
    }

    @Test
    void brokenKeystoreIsNamed() throws IOException {
        Path keystore = Files.writeString(directory.resolve("keys.p12"), "no key store");
        TlsConfig config =
                new TlsConfig()
                        .setEnabled(true)
                        .setKeystorePath(keystore.toFile())
                        .setKeystorePassword("x");
        assertThatThrownBy(() -> TlsIdentity.load(config))
                .isInstanceOf(TlsFailure.class)
                .hasMessageContaining("stele.tls.keystore.path")
                .hasMessageContaining(keystore.toString());
    }
}
