package io.stele.sidecar.tls;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import jakarta.validation.constraints.AssertTrue;
import java.io.File;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the sidecar's transport encryption, from {@code stele.tls} properties. One
 * key store serves all ports.
 */
public class TlsConfig {
    private boolean enabled;
    private @Nullable File keystorePath;
    private String keystorePassword = "";

    public boolean isEnabled() {
        return enabled;
    }

    @Config("stele.tls.enabled")
    @ConfigDescription("Encrypt every port with TLS")
    public TlsConfig setEnabled(boolean enabled) {
        this.enabled = enabled;
        return this;
    }

    public Optional<File> getKeystorePath() {
        return Optional.ofNullable(keystorePath);
    }

    @Config("stele.tls.keystore.path")
    @ConfigDescription(
            "Key store (PKCS #12 or JKS) with the certificate and private key of this sidecar")
    public TlsConfig setKeystorePath(@Nullable File keystorePath) {
        this.keystorePath = keystorePath;
        return this;
    }

    public String getKeystorePassword() {
        return keystorePassword;
    }

    @Config("stele.tls.keystore.password")
    @ConfigDescription("Password of the key store and of the private key in it")
    @ConfigSecuritySensitive
    public TlsConfig setKeystorePassword(String keystorePassword) {
        this.keystorePassword = keystorePassword;
        return this;
    }

    @AssertTrue(message = "stele.tls.keystore.path must be set when stele.tls.enabled is true")
    public boolean isKeystoreGivenWhenEnabled() {
        return !enabled || keystorePath != null;
    }

    @AssertTrue(message = "stele.tls.keystore.path must name a readable file")
    public boolean isKeystoreReadable() {
        return keystorePath == null || (keystorePath.isFile() && keystorePath.canRead());
    }
}
