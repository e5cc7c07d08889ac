package io.stele.connector.config;

import static java.util.Objects.requireNonNull;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import jakarta.validation.constraints.NotNull;

/** Configuration of the access control of a catalog: {@code stele.security}. */
public class AccessControlConfig {
    private Security security = Security.ALLOW_ALL;

    /** Trino's kinds of access control in a connector. */
    public enum Security {
        /** All users may do everything. */
        ALLOW_ALL,
        /** All users may read, and none may change anything. */
        READ_ONLY,
        /** Trino's system access control decides alone. */
        SYSTEM,
        /** Rules in the file that {@code security.config-file} names. */
        FILE
    }

    @NotNull
    public Security getSecurity() {
        return security;
    }

    @Config("stele.security")
    @ConfigDescription("Access control of the catalog: ALLOW_ALL, READ_ONLY, SYSTEM or FILE")
    public AccessControlConfig setSecurity(Security security) {
        this.security = requireNonNull(security, "security is null");
        return this;
    }
}
