package io.stele.storage.objectstore.s3;

import io.airlift.configuration.ConfigurationFactory;
import io.stele.testing.VersityGateway;

/** The configuration with which a store reaches a {@link VersityGateway}. */
public final class GatewayConfig {
    private GatewayConfig() {}

    public static S3Config of(VersityGateway gateway) {
        return of(gateway.port());
    }

    /**
     * @param throughPort of the gateway, or of a proxy before it
     */
    public static S3Config of(int throughPort) {
        return new ConfigurationFactory(VersityGateway.properties(throughPort))
                .build(S3Config.class);
    }
}
