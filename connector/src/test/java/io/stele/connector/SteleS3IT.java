package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LiveFolder;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A warehouse on a real S3 server: the sidecar and Trino's workers read and write it directly. */
@ExtendWith(SteleCluster.OfTwoNodes.class)
final class SteleS3IT {
    private static final String PREFIX = "stele/tests";
    private static final String WAREHOUSE = "s3://" + VersityGateway.BUCKET + "/" + PREFIX;

    @RegisterExtension static final S3Server S3 = new S3Server();

    private final SteleCluster cluster;

    SteleS3IT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    @Tag("long") // the same without encryption
    void tablesOnS3HaveTheRowsOfTpch() throws Exception {
        new RemoteWarehouse(cluster, "on_s3")
                .hasTheRowsOfTpch(WAREHOUSE, S3.gateway().properties(), new InBucket(PREFIX + "/"));
        assertThat(new InBucket("").list()).isNotEmpty().allMatch(path -> path.startsWith(PREFIX));
    }

    @Test
    void encryptedTablesOnS3HideTheirRows() throws Exception {
        new RemoteWarehouse(cluster, "encrypted_on_s3")
                .hidesTheRowsOfTpch(
                        WAREHOUSE + "-encrypted",
                        WAREHOUSE + "-encrypted-log",
                        S3.gateway().properties(),
                        new InBucket(PREFIX + "-encrypted"));
    }

    /**
     * Objects as the server keeps them: in files.
     *
     * @param prefix of their keys
     */
    private record InBucket(String prefix) implements RemoteWarehouse.Objects {
        @Override
        public List<String> list() throws IOException {
            Path bucket = S3.bucket();
            return LiveFolder.files(bucket).stream()
                    .map(file -> bucket.relativize(file).toString())
                    .filter(key -> !key.startsWith(".") && key.startsWith(prefix))
                    .toList();
        }

        @Override
        public byte[] read(String path) throws IOException {
            return Files.readAllBytes(S3.bucket().resolve(path));
        }
    }
}
