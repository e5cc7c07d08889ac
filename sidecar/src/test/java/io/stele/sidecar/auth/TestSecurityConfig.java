package io.stele.sidecar.auth;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import io.airlift.units.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestSecurityConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(
                recordDefaults(SecurityConfig.class)
                        .setSharedSecret("")
                        .setLoginTimeout(new Duration(10, TimeUnit.SECONDS)));
    }

    @Test
    void explicitMapping() {
        assertFullMapping(
                Map.of(
                        "stele.shared-secret", "a secret of length 24 ok",
                        "stele.login-timeout", "3s"),
                new SecurityConfig()
                        .setSharedSecret("a secret of length 24 ok")
                        .setLoginTimeout(new Duration(3, TimeUnit.SECONDS)));
    }
}
