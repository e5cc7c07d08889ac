package io.stele.objectstore.s3;

import io.airlift.configuration.ConfigurationFactory;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.TestingThreads;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Random;
import java.util.function.LongConsumer;

/** The configuration with which a store reaches a {@link VersityGateway}, and such a store. */
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

    /** Clients of the SDK alone. */
    static S3Clients clients(VersityGateway gateway) {
        return S3Clients.of(of(gateway), new ServiceClock(InstantSource.system()));
    }

    /** A store on threads of its own. */
    public static S3ObjectStore open(
            S3Location location,
            S3Config config,
            RetrievalConfig.Client client,
            Random random,
            LongConsumer sleepMillis)
            throws IOException {
        return S3ObjectStore.open(
                location,
                config,
                new RetrievalConfig().setClient(client),
                random,
                sleepMillis,
                TestingThreads.start());
    }
}
