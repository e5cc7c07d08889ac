package io.stele.connector;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * As {@link SteleDataCacheIT}, on a real S3 server, where the cache is used without being asked.
 */
@Tag("long")
@Timeout(1200)
final class SteleDataCacheS3IT {
    @RegisterExtension static final S3Server S3 = new S3Server();

    @Test
    void aWarehouseOnS3IsReadThroughTheCache(@TempDir Path directory) throws Exception {
        Map<String, String> sidecar =
                ImmutableMap.<String, String>builder()
                        .putAll(S3.gateway().properties())
                        .put("stele.warehouse.path", "s3://" + VersityGateway.BUCKET + "/it")
                        .buildOrThrow();
        SteleDataCacheIT.readsAreThoseOfTheFiles(directory, S3.gateway().properties(), sidecar, 8);
    }
}
