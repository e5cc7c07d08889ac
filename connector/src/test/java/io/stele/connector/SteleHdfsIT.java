package io.stele.connector;

import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.hadoop.HadoopLocation;
import io.stele.objectstore.hadoop.HadoopObjectStore;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.testing.MiniHdfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A warehouse on a real HDFS: the sidecar and Trino's workers read and write it directly. */
@Tag("long")
@ExtendWith(SteleCluster.OfTwoNodes.class)
final class SteleHdfsIT {
    private final SteleCluster cluster;

    SteleHdfsIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void tablesOnHdfsHaveTheRowsOfTpch(@TempDir Path directory) throws Exception {
        try (ObjectStore store = open()) {
            new RemoteWarehouse(cluster, "on_hdfs")
                    .hasTheRowsOfTpch(
                            MiniHdfs.shared().location("stele/tests"),
                            properties(directory),
                            new InStore(store, "tests/"));
        }
    }

    @Test
    void encryptedTablesOnHdfsHideTheirRows(@TempDir Path directory) throws Exception {
        try (ObjectStore store = open()) {
            new RemoteWarehouse(cluster, "encrypted_on_hdfs")
                    .hidesTheRowsOfTpch(
                            MiniHdfs.shared().location("stele/encrypted"),
                            MiniHdfs.shared().location("stele/encrypted-log"),
                            properties(directory),
                            new InStore(store, "encrypted"));
        }
    }

    private static Map<String, String> properties(Path directory) throws IOException {
        Path resource =
                Files.writeString(
                        directory.resolve("hdfs-site.xml"),
                        """
                        <configuration><property>
                        <name>dfs.replication</name><value>1</value>
                        </property></configuration>
                        """);
        return Map.of("hadoop.config.resources", resource.toString());
    }

    private static ObjectStore open() throws IOException {
        return HadoopObjectStore.open(
                HadoopLocation.parse(MiniHdfs.shared().location("stele")),
                new HadoopConfig(),
                new RetrievalConfig(),
                new Random(1),
                _ -> {},
                new RetrievalThreads(
                        Thread.ofPlatform().daemon().factory(),
                        Thread.ofVirtual().factory(),
                        System::nanoTime,
                        InstantSource.system(),
                        failure -> {
                            throw new AssertionError(failure);
                        }));
    }

    /**
     * Files of a warehouse and of its log.
     *
     * @param prefix of their paths
     */
    private record InStore(ObjectStore store, String prefix) implements RemoteWarehouse.Objects {
        @Override
        public List<String> list() throws IOException {
            return store.list(prefix).stream().map(ObjectEntry::path).toList();
        }

        @Override
        public byte[] read(String path) throws IOException {
            return store.readFully(path);
        }
    }
}
