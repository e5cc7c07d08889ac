package io.stele.paimon.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.units.DataSize;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.paimon.TestingLake;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.RequestCounts;
import io.stele.testing.S3Server;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A lake in a bucket of a real S3 server. */
final class S3LakeIT extends LakeContract {
    private static final AtomicInteger LAKES = new AtomicInteger();

    @RegisterExtension static final S3Server S3 = new S3Server();

    private static DelayingS3Proxy proxy;

    @TempDir Path directory;

    @BeforeAll
    static void startProxy() throws IOException {
        proxy = DelayingS3Proxy.start(S3.gateway().port(), InjectedDelays.NONE);
    }

    @AfterAll
    static void stopProxy() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
    }

    private static String nextFolder() {
        return "lake-" + LAKES.incrementAndGet();
    }

    private static String location(String folder) {
        return "s3://" + VersityGateway.BUCKET + "/" + folder;
    }

    @Override
    String newWarehouse() {
        return location(nextFolder()).replace("s3:", LAKES.get() % 2 == 0 ? "s3a:" : "s3:");
    }

    @Override
    PaimonLake open(String location) {
        return TestingLakes.open(location, proxy.properties(S3.gateway()));
    }

    @Override
    List<String> stored(String location) throws IOException {
        Path folder = S3.bucket().resolve(location.substring(location.lastIndexOf('/') + 1));
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(Path::toString).sorted().toList();
        }
    }

    /** Requests that one step sends. */
    private final class Counter {
        private final String folder;
        private long reads;
        private long lists;
        private long writes;

        Counter(String folder) {
            this.folder = folder;
        }

        /** Since the last call: READ (GET and HEAD), LIST, WRITE. */
        List<Long> take() {
            RequestCounts counts = proxy.requests();
            long newReads = counts.count(folder, RequestCounts.Kind.READ);
            long newLists = counts.count(folder, RequestCounts.Kind.LIST);
            long newWrites = counts.count(folder, RequestCounts.Kind.WRITE);
            List<Long> result = List.of(newReads - reads, newLists - lists, newWrites - writes);
            reads = newReads;
            lists = newLists;
            writes = newWrites;
            return result;
        }
    }

    @Test
    void requestsAreFew() throws Exception {
        String folder = nextFolder();
        Counter requests = new Counter(folder);
        try (PaimonLake lake = open(location(folder))) {
            TestingLake writer = new TestingLake(lake.catalog(), directory);
            FileStoreTable written =
                    writer.create(
                            "db",
                            "t",
                            Schema.newBuilder()
                                    .column("k", DataTypes.INT())
                                    .column("v", DataTypes.STRING())
                                    .option("bucket", "-1")
                                    .build());
            for (int i = 0; i < 3; i++) {
                writer.write(written, List.of(GenericRow.of(i, TestingLake.text("x"))), false);
            }
        }
        try (PaimonLake lake = open(location(folder))) {
            lake.catalog(); // looks for privileges
            List<List<Long>> found = new ArrayList<>();
            requests.take();
            lake.catalog().listDatabases();
            found.add(requests.take());
            lake.catalog().listTables("db");
            found.add(requests.take());
            FileStoreTable table = new TestingLake(lake.catalog(), directory).table("db", "t");
            found.add(requests.take());
            Snapshot snapshot = table.snapshotManager().latestSnapshot();
            found.add(requests.take());
            table.newScan().plan();
            found.add(requests.take());
            TestingLake.rows(table);
            found.add(requests.take());
            assertThat(snapshot.id()).isEqualTo(3);
            assertThat(found.subList(0, 5))
                    .containsExactly(
                            // The folders in the lake
                            List.of(0L, 1L, 0L),
                            // The database, the folders in it, the first schema of each
                            List.of(1L, 2L, 0L),
                            // The folder of schemas, those in it, the last of them
                            List.of(1L, 2L, 0L),
                            // The hint, whether there is a newer one, the snapshot
                            List.of(3L, 0L, 0L),
                            // The same, two lists of manifests, and three manifests
                            List.of(8L, 0L, 0L));
            // The same; of each file its size, its footer and its columns
            assertThat(found.get(5).getFirst()).isBetween(8L + 2 * 3, 8L + 4 * 3);
        }
    }

    @Test
    void dataIsReadOnce() throws Exception {
        String folder = nextFolder();
        DataCacheConfig config =
                new DataCacheConfig()
                        .setDirectories(
                                List.of(Files.createDirectory(directory.resolve("c")).toString()))
                        .setMaxSizes(List.of(DataSize.of(1, DataSize.Unit.GIGABYTE)));
        LakeDataCache cache = TestingLakes.cache(config);
        try (PaimonLake lake =
                TestingLakes.open(location(folder), proxy.properties(S3.gateway()), cache)) {
            TestingLake writer = new TestingLake(lake.catalog(), directory.resolve("spill"));
            FileStoreTable table =
                    writer.create(
                            "db",
                            "t",
                            Schema.newBuilder()
                                    .column("p", DataTypes.STRING())
                                    .column("v", DataTypes.STRING())
                                    .partitionKeys("p")
                                    .option("bucket", "-1")
                                    .build());
            List<InternalRow> rows =
                    List.of(
                            GenericRow.of(TestingLake.text("a b"), TestingLake.text("x")),
                            GenericRow.of(TestingLake.text("\u4e2d"), TestingLake.text("y")));
            writer.write(table, rows, false);
            List<String> first = TestingLake.rows(table);
            long saved = saved(cache);
            assertThat(TestingLake.rows(table)).isEqualTo(first);
            assertThat(saved(cache)).isGreaterThan(saved);
            assertThat(cache.find().orElseThrow().tables())
                    .anyMatch(found -> found.table().equals("db.t"));
        } finally {
            cache.close();
        }
    }

    private static long saved(LakeDataCache cache) {
        return cache.find().orElseThrow().tables().stream()
                .mapToLong(table -> table.requestsSaved())
                .sum();
    }
}
