package io.stele.sidecar.auth;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import jakarta.validation.constraints.Size;

/**
 * Settings of authentication. One secret is shared by the sidecar, the connector and the clients.
 */
public class SecurityConfig {
    // 16 characters: below this an HMAC key of a printable secret can be searched.
    private static final int MIN_SECRET_LENGTH = 16;

    private String sharedSecret = "";

    @Size(min = MIN_SECRET_LENGTH, message = "must be set to a secret of at least 16 characters")
    public String getSharedSecret() {
        return sharedSecret;
    }

    @Config("stele.shared-secret")
    @ConfigDescription("Secret shared with the connector and the clients; at least 16 characters")
    @ConfigSecuritySensitive
    public SecurityConfig setSharedSecret(String sharedSecret) {
        this.sharedSecret = sharedSecret;
        return this;
    }
}
