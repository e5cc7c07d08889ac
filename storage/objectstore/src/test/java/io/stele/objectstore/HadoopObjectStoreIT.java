package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.hadoop.HadoopFileSystems;
import io.stele.objectstore.hadoop.HadoopLocation;
import io.stele.objectstore.hadoop.HadoopObjectStore;
import io.stele.objectstore.hadoop.HadoopStores;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import io.stele.testing.MiniHdfs;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of object stores, on a real HDFS. */
final class HadoopObjectStoreIT extends ObjectStoreContract {
    private static final int BLOCK_BYTES = 1 << 20; // the least that name nodes allow
    private static final AtomicInteger FOLDERS = new AtomicInteger();
    private static final Instant FAR_AWAY = Instant.parse("2100-01-01T00:00:00Z");

    @TempDir static Path directory;
    private static HadoopConfig config;

    private HadoopLocation location;
    private HadoopObjectStore store;

    @BeforeAll
    static void configure() throws IOException {
        config =
                new HadoopConfig()
                        .setResources(
                                List.of(
                                        Files.writeString(
                                                        directory.resolve("hdfs-site.xml"),
                                                        """
                                                        <configuration><property>
                                                        <name>dfs.blocksize</name><value>%d</value>
                                                        </property></configuration>
                                                        """
                                                                .formatted(BLOCK_BYTES))
                                                .toString()));
    }

    @BeforeEach
    void open() throws IOException {
        location =
                HadoopLocation.parse(
                        MiniHdfs.shared().location("contract/" + FOLDERS.incrementAndGet()));
        store = HadoopStores.open(location, config, new Random(1), _ -> {});
    }

    @AfterEach
    void leavesNoTemporaryFiles() throws IOException {
        try (FileSystem files = HadoopFileSystems.open(location, config)) {
            if (files.exists(temporary())) {
                assertThat(files.listStatus(temporary())).isEmpty();
            }
        } finally {
            store.close();
        }
    }

    private org.apache.hadoop.fs.Path temporary() {
        return new org.apache.hadoop.fs.Path(location + "/.tmp");
    }

    @Override
    ObjectStore store() {
        return store;
    }

    /** Three blocks, the last of which is short. */
    @Override
    int largeObjectBytes() {
        return 2 * BLOCK_BYTES + 12_345;
    }

    @Test
    void largeObjectsHaveSeveralBlocks() throws Exception {
        store.put("x", new byte[largeObjectBytes()]);
        try (FileSystem files = HadoopFileSystems.open(location, config)) {
            FileStatus status = files.getFileStatus(new org.apache.hadoop.fs.Path(location + "/x"));
            assertThat(files.getFileBlockLocations(status, 0, status.getLen())).hasSize(3);
        }
    }

    /** Several pages of a name node. */
    @Test
    void listsMoreThanAPage() throws Exception {
        int count = 2 * MiniHdfs.FILES_OF_A_PAGE + 50;
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            List<Future<Boolean>> created = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String path = "many/%05d".formatted(i);
                created.add(threads.submit(() -> store.createIfAbsent(path, new byte[0])));
            }
            for (Future<Boolean> future : created) {
                assertThat(future.get()).isTrue();
            }
        }
        List<ObjectEntry> entries = store.list("many/");
        assertThat(entries).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(entries.get(i).path()).isEqualTo("many/%05d".formatted(i));
            assertThat(entries.get(i).sizeBytes()).isZero();
        }
    }

    /** Folders are no objects, and what is below an object is not there. */
    @Test
    void foldersAreNoObjects() throws Exception {
        store.put("a/b", bytes("x"));
        assertThatThrownBy(() -> store.size("a")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> store.readFully("a")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> store.size("a/b/c")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> store.createIfAbsent("a/b/c", bytes("x")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(store.describe("a/b/c"));
        assertThat(store.list("a/b/")).isEmpty();
    }

    /** More files than are kept open; each answer is of its own file. */
    @Test
    void readsPartsOfManyObjects() throws Exception {
        // Side by side, since each waits for the data node several times
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            List<Future<Boolean>> created = new ArrayList<>();
            for (int i = 0; i < 150; i++) {
                String path = "part/" + i;
                byte[] content = bytes("object " + i);
                created.add(threads.submit(() -> store.createIfAbsent(path, content)));
            }
            for (Future<Boolean> future : created) {
                assertThat(future.get()).isTrue();
            }
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 150; i++) {
                assertThat(store.read("part/" + i, 7, Integer.toString(i).length()))
                        .isEqualTo(bytes(Integer.toString(i)));
            }
        }
    }

    /** Another process replaced or deleted what this one has open. */
    @Test
    void readsOfPartsFollowOthers() throws Exception {
        store.put("x", bytes("first"));
        assertThat(store.read("x", 0, 5)).isEqualTo(bytes("first"));
        try (ObjectStore other = HadoopStores.open(location, config, new Random(2), _ -> {})) {
            other.delete("x");
        }
        assertThatThrownBy(() -> store.readFully("x")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> store.size("x")).isInstanceOf(NoSuchFileException.class);
    }

    /** Reads go through the download manager: large ones side by side, equal ones once. */
    @Test
    void readsArePlanned() throws Exception {
        byte[] content = new byte[20 << 20];
        new Random(5).nextBytes(content);
        store.put("large", content);
        assertThat(Arrays.equals(store.read("large", 0, content.length), content)).isTrue();
        assertThat(store.retrieval().orElseThrow().requests()).isEqualTo(2);
        try (ExecutorService readers = Executors.newFixedThreadPool(8)) {
            List<Future<Boolean>> read = new ArrayList<>();
            for (int reader = 0; reader < 8; reader++) {
                Random random = new Random(reader);
                read.add(
                        readers.submit(
                                () -> {
                                    boolean same = true;
                                    for (int i = 0; i < 20; i++) {
                                        int length = 1 + random.nextInt(1 << (1 + i));
                                        int from = random.nextInt(content.length - length);
                                        byte[] found = store.read("large", from, length);
                                        same &=
                                                Arrays.mismatch(
                                                                found,
                                                                0,
                                                                length,
                                                                content,
                                                                from,
                                                                from + length)
                                                        < 0;
                                    }
                                    return same;
                                }));
            }
            for (Future<Boolean> same : read) {
                assertThat(same.get()).isTrue();
            }
        }
        RetrievalStatistics statistics = store.retrieval().orElseThrow();
        assertThat(statistics.requestsInFlight()).isZero();
        assertThat(statistics.bytesInFlight()).isZero();
        assertThat(statistics.failures()).isZero();
        assertThat(statistics.hedges()).isZero(); // Hadoop's client knows the replicas
        assertThatThrownBy(() -> store.read("large", content.length - 5L, 10))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining(store.describe("large"));
        assertThatThrownBy(() -> store.read("none", 0, 10))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(store.describe("none"));
    }

    @Test
    void deletesWhatDeadWritersLeft() throws Exception {
        ObjectWriter alive = store.create("x");
        alive.write(bytes("half"));
        try (FileSystem files = HadoopFileSystems.open(location, config)) {
            org.apache.hadoop.fs.Path abandoned =
                    new org.apache.hadoop.fs.Path(temporary(), "abandoned");
            try (FSDataOutputStream stream = files.create(abandoned)) {
                stream.write(1);
            }
            long changed = files.getFileStatus(abandoned).getModificationTime();
            assertThat(store.deleteAbandoned(Instant.ofEpochMilli(changed))).isZero();
            assertThat(store.list("")).isEmpty();
            assertThat(store.deleteAbandoned(FAR_AWAY)).isEqualTo(1);
            assertThat(files.exists(abandoned)).isFalse();
        }
        alive.commit();
        assertThat(store.readFully("x")).isEqualTo(bytes("half"));
    }

    @Test
    void aMissingClusterIsNamed() throws Exception {
        assertThatThrownBy(
                        () ->
                                HadoopStores.open(
                                        HadoopLocation.parse("nofs://host/x"),
                                        config,
                                        new Random(1),
                                        _ -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nofs");
    }
}
