package io.stele.connector;

import com.google.inject.Binder;
import io.airlift.configuration.AbstractConfigurationAwareModule;
import io.trino.plugin.base.security.AllowAllSecurityModule;
import io.trino.plugin.base.security.ConnectorAccessControlModule;
import io.trino.plugin.base.security.FileBasedAccessControlModule;
import io.trino.plugin.base.security.ReadOnlySecurityModule;

/** The access control that {@link SecurityConfig} names. */
final class SecurityModule extends AbstractConfigurationAwareModule {
    @Override
    protected void setup(Binder binder) {
        install(new ConnectorAccessControlModule());
        switch (buildConfigObject(SecurityConfig.class).getSecurity()) {
            case ALLOW_ALL -> install(new AllowAllSecurityModule());
            case READ_ONLY -> install(new ReadOnlySecurityModule());
            case FILE -> install(new FileBasedAccessControlModule());
            case SYSTEM -> {
                // Without an access control of this connector, Trino uses only its system access
                // control
            }
        }
    }
}
