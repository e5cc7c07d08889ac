package io.stele.sidecar.auth;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.configuration.LegacyConfig;
import io.airlift.units.Duration;
import io.airlift.units.MaxDuration;
import io.airlift.units.MinDuration;
import jakarta.validation.constraints.Size;
import java.util.concurrent.TimeUnit;

/**
 * Settings of authentication: the secret that the sidecar, the connector and the clients share, and
 * the login timeout.
 */
public class SecurityConfig {
    // 16 characters: below this an HMAC key of a printable secret can be searched.
    private static final int MIN_SECRET_LENGTH = 16;

    private String sharedSecret = "";
    private Duration loginTimeout = new Duration(10, TimeUnit.SECONDS);

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

    @MinDuration("100ms")
    @MaxDuration("5m")
    public Duration getLoginTimeout() {
        return loginTimeout;
    }

    @Config("stele.login-timeout")
    @LegacyConfig("stele.client.hello-timeout")
    @ConfigDescription("A caller that has not shown the secret after this long is disconnected")
    public SecurityConfig setLoginTimeout(Duration loginTimeout) {
        this.loginTimeout = loginTimeout;
        return this;
    }
}
