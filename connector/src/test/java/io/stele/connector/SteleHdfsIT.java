package io.stele.connector;

import io.stele.storage.objectstore.ObjectEntry;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.hadoop.HadoopConfig;
import io.stele.storage.objectstore.hadoop.HadoopLocation;
import io.stele.storage.objectstore.hadoop.HadoopObjectStore;
import io.stele.testing.MiniHdfs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A warehouse on a real HDFS: the sidecar and Trino's workers read and write it directly. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleHdfsIT {
    private final SteleCluster cluster;

    SteleHdfsIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void tablesOnHdfsHaveTheRowsOfTpch(@TempDir Path directory) throws Exception {
        Path resource =
                Files.writeString(
                        directory.resolve("hdfs-site.xml"),
                        """
                        <configuration><property>
                        <name>dfs.replication</name><value>1</value>
                        </property></configuration>
                        """);
        String location = MiniHdfs.shared().location("stele/tests");
        try (ObjectStore store =
                HadoopObjectStore.open(
                        HadoopLocation.parse(location),
                        new HadoopConfig(),
                        new Random(1),
                        _ -> {})) {
            new RemoteWarehouse(cluster, "on_hdfs")
                    .hasTheRowsOfTpch(
                            location,
                            Map.of("hadoop.config.resources", resource.toString()),
                            () -> store.list("").stream().map(ObjectEntry::path).toList());
        }
    }
}
