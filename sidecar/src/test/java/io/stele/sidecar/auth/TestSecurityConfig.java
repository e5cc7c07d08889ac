package io.stele.sidecar.auth;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestSecurityConfig {
    @Test
    void defaults() {
        assertRecordedDefaults(recordDefaults(SecurityConfig.class).setSharedSecret(""));
    }

    @Test
    void explicitMapping() {
        assertFullMapping(
                Map.of("stele.shared-secret", "a secret of length 24 ok"),
                new SecurityConfig().setSharedSecret("a secret of length 24 ok"));
    }
}
