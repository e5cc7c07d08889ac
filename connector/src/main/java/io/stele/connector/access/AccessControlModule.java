package io.stele.connector.access;

import com.google.inject.Binder;
import io.airlift.configuration.AbstractConfigurationAwareModule;
import io.stele.connector.config.AccessControlConfig;
import io.trino.plugin.base.security.AllowAllSecurityModule;
import io.trino.plugin.base.security.ConnectorAccessControlModule;
import io.trino.plugin.base.security.FileBasedAccessControlModule;
import io.trino.plugin.base.security.ReadOnlySecurityModule;

/** The Guice module that binds the access control that {@link AccessControlConfig} names. */
public final class AccessControlModule extends AbstractConfigurationAwareModule {
    @Override
    protected void setup(Binder binder) {
        install(new ConnectorAccessControlModule());
        switch (buildConfigObject(AccessControlConfig.class).getSecurity()) {
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
