package io.stele.objectstore;

import io.airlift.units.DataSize;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.TestingThreads;
import io.stele.objectstore.s3.GatewayConfig;
import io.stele.objectstore.s3.S3Location;
import io.stele.objectstore.s3.S3ObjectStore;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A store of a whole bucket of a real S3 server, read by either client. */
@ParameterizedClass
@EnumSource
class S3LakeStoreIT extends FolderStoreContract {
    private static final AtomicInteger FOLDERS = new AtomicInteger();

    @RegisterExtension static final S3Server S3 = new S3Server();

    @Parameter RetrievalConfig.Client client;

    private S3ObjectStore store;
    private String folder;

    @BeforeEach
    void open() throws IOException {
        folder = "a lake/" + FOLDERS.incrementAndGet();
        store =
                S3ObjectStore.open(
                        new S3Location(VersityGateway.BUCKET, ""),
                        PathRule.ANY,
                        GatewayConfig.of(S3.gateway())
                                .setStreamingPartSize(DataSize.ofBytes(5 << 20)),
                        new RetrievalConfig().setClient(client),
                        new Random(1),
                        _ -> {},
                        TestingThreads.start());
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    @Override
    FolderStore store() {
        return store;
    }

    @Override
    String folder() {
        return folder;
    }
}
