package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A warehouse on a real S3 server: the sidecar and Trino's workers read and write it directly. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleS3IT {
    private static final String PREFIX = "stele/tests";
    private static final String WAREHOUSE = "s3://" + VersityGateway.BUCKET + "/" + PREFIX;

    @RegisterExtension static final S3Server S3 = new S3Server();

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleS3IT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void tablesOnS3HaveTheRowsOfTpch() throws Exception {
        Map<String, String> catalog =
                ImmutableMap.<String, String>builder()
                        .putAll(S3.gateway().properties())
                        // Everything by files of workers; the sidecar writes those of UPDATE
                        .put("stele.write.direct-threshold", "0B")
                        .buildOrThrow();
        Map<String, String> sidecar =
                ImmutableMap.<String, String>builder()
                        .putAll(S3.gateway().properties())
                        .put("stele.warehouse.path", WAREHOUSE)
                        .buildOrThrow();
        try (SidecarFixture own = cluster.newSidecar("on_s3", catalog, sidecar)) {
            queries.run(
                    """
                    CREATE TABLE on_s3.s.orders WITH (primary_key = ARRAY['orderkey'])
                    AS SELECT * FROM tpch.tiny.orders WHERE orderkey % 2 = 0
                    """);
            assertThat(objects(".orc")).as("files of workers").isNotEmpty();
            queries.run(
                    "INSERT INTO on_s3.s.orders SELECT * FROM tpch.tiny.orders WHERE orderkey % 2 = 1");
            assertOrders("0");

            long open =
                    queries.count("SELECT count(*) FROM tpch.tiny.orders WHERE orderstatus = 'O'");
            assertThat(
                            queries.update(
                                    "UPDATE on_s3.s.orders SET totalprice = totalprice + 1 WHERE orderstatus = 'O'"))
                    .isEqualTo(open);
            String raised = "IF(orderstatus = 'O', 1, 0)";
            assertOrders(raised);
            own.flush("s", "orders");
            assertOrders(raised);
            own.compact("s", "orders");
            assertOrders(raised);

            own.restart();
            assertOrders(raised);
            assertThat(queries.value("SELECT clerk FROM on_s3.s.orders WHERE orderkey = 7"))
                    .isEqualTo(
                            queries.value("SELECT clerk FROM tpch.tiny.orders WHERE orderkey = 7"));
            assertThat(objects("")).allMatch(path -> path.startsWith(PREFIX + "/"));
            queries.run("DROP TABLE on_s3.s.orders");
        } finally {
            queries.run("DROP CATALOG on_s3");
        }
    }

    private void assertOrders(String raise) {
        queries.assertSame(
                "SELECT orderkey, custkey, orderstatus, totalprice, orderdate, comment FROM on_s3.s.orders",
                "SELECT orderkey, custkey, orderstatus, totalprice + %s, orderdate, comment FROM tpch.tiny.orders"
                        .formatted(raise));
    }

    /** Keys in the bucket, as the server keeps them: in files. */
    private static List<String> objects(String ending) throws IOException {
        Path bucket = S3.bucket();
        try (Stream<Path> files = Files.walk(bucket)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> bucket.relativize(file).toString())
                    .filter(key -> !key.startsWith(".") && key.endsWith(ending))
                    .toList();
        }
    }
}
