package io.stele.objectstore.hadoop;

import static io.stele.objectstore.hadoop.FaultyHdfs.Fault.ANSWER_LOST;
import static io.stele.objectstore.hadoop.FaultyHdfs.Fault.FAILS;
import static io.stele.objectstore.hadoop.FaultyHdfs.Fault.LATE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.testing.MiniHdfs;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Creations on HDFS whose answers are lost or late: each object is created once, and by whom is
 * known.
 */
final class HadoopFaultsIT {
    private static final AtomicInteger FOLDERS = new AtomicInteger();
    private static final byte[] NOTHING = new byte[0];

    @TempDir Path directory;
    private HadoopObjectStore store;
    private HadoopObjectStore other;
    private Runnable atPause = () -> {};

    @BeforeEach
    void open() throws IOException {
        HadoopConfig config =
                new HadoopConfig()
                        .setResources(
                                List.of(
                                        Files.writeString(
                                                        directory.resolve("core-site.xml"),
                                                        """
                                                        <configuration><property>
                                                        <name>fs.hdfs.impl</name><value>%s</value>
                                                        </property></configuration>
                                                        """
                                                                .formatted(
                                                                        FaultyHdfs.class.getName()))
                                                .toString()));
        HadoopLocation location =
                HadoopLocation.parse(
                        MiniHdfs.shared().location("faults/" + FOLDERS.incrementAndGet()));
        store = HadoopStores.open(location, config, new Random(1), _ -> atPause.run());
        other = HadoopStores.open(location, new HadoopConfig(), new Random(2), _ -> {});
        // Folders are there, so that each creation is one rename
        other.put("x/there", NOTHING);
    }

    @AfterEach
    void close() throws IOException {
        FaultyHdfs.inject();
        FaultyHdfs.arrive();
        store.close();
        other.close();
    }

    @Test
    void aLostAnswerIsFoundOut() throws Exception {
        FaultyHdfs.inject(ANSWER_LOST);
        assertThat(store.createIfAbsent("x/1", bytes("ours"))).isTrue();
        assertThat(other.readFully("x/1")).isEqualTo(bytes("ours"));
        FaultyHdfs.inject(FAILS, FAILS, ANSWER_LOST);
        assertThat(store.createIfAbsent("x/2", bytes("ours"))).isTrue();
        assertThat(other.readFully("x/2")).isEqualTo(bytes("ours"));
    }

    /** Its content says nothing about an empty object: the file's number does. */
    @Test
    void anotherCreatorIsToldFromOurselves() throws Exception {
        FaultyHdfs.inject(FAILS);
        atPause = () -> create(other, "x/1");
        assertThat(store.createIfAbsent("x/1", NOTHING)).isFalse();
        FaultyHdfs.inject(LATE);
        atPause = () -> create(other, "x/2");
        assertThat(store.createIfAbsent("x/2", NOTHING)).isFalse();
        FaultyHdfs.arrive();
        assertThat(other.list("x/2"))
                .extracting(ObjectEntry::path, ObjectEntry::sizeBytes)
                .containsExactly(tuple("x/2", 0L));
    }

    @Test
    void aLateRenameIsOurs() throws Exception {
        FaultyHdfs.inject(LATE);
        atPause = FaultyHdfs::arrive;
        assertThat(store.createIfAbsent("x/1", NOTHING)).isTrue();
        FaultyHdfs.inject(LATE);
        atPause = () -> {};
        assertThat(store.createIfAbsent("x/2", bytes("ours"))).isTrue();
        other.delete("x/2");
        FaultyHdfs.arrive();
        assertThat(other.list("x/2")).as("a rename after the one that got through").isEmpty();
    }

    @Test
    void whatStaysUnknownIsSaid() throws Exception {
        FaultyHdfs.inject(FAILS, FAILS, FAILS, FAILS);
        assertThatThrownBy(() -> store.createIfAbsent("x/1", bytes("ours")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot create " + store.describe("x/1"))
                .hasMessageContaining("connection reset");
        // Its file is gone, so that it cannot come later either
        assertThat(other.createIfAbsent("x/1", bytes("theirs"))).isTrue();
    }

    @Test
    void writersFindOutAsWell() throws Exception {
        FaultyHdfs.inject(ANSWER_LOST);
        try (ObjectWriter writer = store.create("x/1")) {
            writer.write(bytes("ours"));
            writer.commit();
        }
        assertThat(other.readFully("x/1")).isEqualTo(bytes("ours"));
        FaultyHdfs.inject(FAILS);
        atPause = () -> create(other, "x/2");
        try (ObjectWriter writer = store.create("x/2")) {
            assertThatThrownBy(writer::commit).isInstanceOf(FileAlreadyExistsException.class);
        }
    }

    @Test
    void foldersAreMadeWhileAnswersAreLost() throws Exception {
        FaultyHdfs.inject(FAILS);
        assertThat(store.createIfAbsent("new/folder/1", bytes("ours"))).isTrue();
        FaultyHdfs.inject(FaultyHdfs.Fault.NONE, ANSWER_LOST);
        assertThat(store.createIfAbsent("new/other/1", bytes("ours"))).isTrue();
        assertThat(other.list("new/")).hasSize(2);
    }

    private static void create(ObjectStore store, String path) {
        try {
            assertThat(store.createIfAbsent(path, NOTHING)).isTrue();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
