package io.stele.paimon.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.paimon.TestingLake;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.VectoredReadable;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Paimon needs of its file system, and what it writes and reads with ours, on any store. */
abstract class LakeContract {
    /** Of the names that partitions have. */
    private static final List<String> ODD_VALUES =
            List.of(
                    "a b",
                    "100%",
                    "%41",
                    "\u4e2d\u6587 \u00fc",
                    "\ud83d\ude00",
                    "_hidden",
                    ".dot",
                    "..",
                    "a=b/c:d",
                    "#?&+;,~!@$()'\"*[]{}<>|\\^`");

    @TempDir java.nio.file.Path scratch;

    private PaimonLake lake;
    private FileIO files;
    private String warehouse;

    /** Where a new lake may be. */
    abstract String newWarehouse() throws IOException;

    abstract PaimonLake open(String location);

    /** All files and folders in a location, as the store itself lists them. */
    abstract List<String> stored(String location) throws IOException;

    /** Of each of two committers that race. */
    int commits() {
        return 20;
    }

    /** A name that this store allows, and others may not. */
    String oddName() {
        return "a:1";
    }

    @BeforeEach
    void open() throws IOException {
        warehouse = newWarehouse();
        lake = open(warehouse);
        files = lake.fileIO();
    }

    @AfterEach
    void close() throws Exception {
        lake.close();
    }

    private Path path(String name) {
        return new Path(warehouse + "/" + name);
    }

    private TestingLake writer() {
        return new TestingLake(lake.catalog(), scratch);
    }

    private static Schema.Builder schema() {
        return Schema.newBuilder()
                .column("p", DataTypes.STRING())
                .column("k", DataTypes.INT())
                .column("v", DataTypes.STRING());
    }

    private static InternalRow row(String partition, int key, String value) {
        return GenericRow.of(TestingLake.text(partition), key, TestingLake.text(value));
    }

    @Test
    void tablesAreWrittenReadOverwrittenExpiredAndDropped() throws Exception {
        TestingLake writer = writer();
        FileStoreTable table =
                writer.create(
                        "db",
                        "t",
                        schema().partitionKeys("p")
                                .primaryKey("p", "k")
                                .option("bucket", "2")
                                .option("deletion-vectors.enabled", "true")
                                .build());
        assertThat(lake.catalog().listDatabases()).containsExactly("db");
        assertThat(lake.catalog().listTables("db")).containsExactly("t");
        for (int commit = 0; commit < 5; commit++) {
            writer.write(
                    table,
                    List.of(row("a", commit, "x" + commit), row("b", 7, "y" + commit)),
                    true);
        }
        assertThat(TestingLake.rows(writer.table("db", "t"))).hasSize(6);
        writer.overwrite(table, List.of(row("a", 1, "only")));
        List<String> rows = TestingLake.rows(writer.table("db", "t"));
        assertThat(rows).hasSize(2);
        assertThat(String.join("\n", rows)).contains("only", "y4");
        long latest = table.snapshotManager().latestSnapshotId();
        table.newExpireSnapshots()
                .config(
                        ExpireConfig.builder()
                                .snapshotRetainMax(1)
                                .snapshotRetainMin(1)
                                .snapshotTimeRetain(Duration.ZERO)
                                .build())
                .expire();
        assertThat(table.snapshotManager().earliestSnapshotId()).isEqualTo(latest);
        assertThat(TestingLake.rows(writer.table("db", "t"))).isEqualTo(rows);

        // Another process finds the same
        try (PaimonLake other = open(warehouse)) {
            assertThat(TestingLake.rows(new TestingLake(other.catalog(), scratch).table("db", "t")))
                    .isEqualTo(rows);
        }
        lake.catalog()
                .renameTable(Identifier.create("db", "t"), Identifier.create("db", "u"), false);
        assertThat(TestingLake.rows(writer.table("db", "u"))).isEqualTo(rows);
        lake.catalog().dropTable(Identifier.create("db", "u"), false);
        assertThat(lake.catalog().listTables("db")).isEmpty();
        assertThat(lake.catalog().listDatabases()).containsExactly("db");
        lake.catalog().dropDatabase("db", false, true);
        assertThat(lake.catalog().listDatabases()).isEmpty();
    }

    @Test
    void concurrentCommittersLoseNothing() throws Exception {
        int commits = commits();
        writer().create(
                        "db",
                        "t",
                        schema().option("bucket", "-1")
                                .option("write-only", "true")
                                .option("commit.max-retries", "1000")
                                .build());
        CyclicBarrier start = new CyclicBarrier(2);
        List<Future<?>> committers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (String name : List.of("a", "b")) {
                committers.add(
                        threads.submit(
                                () -> {
                                    try (PaimonLake own = open(warehouse)) {
                                        TestingLake writer =
                                                new TestingLake(
                                                        own.catalog(), scratch.resolve(name));
                                        FileStoreTable table = writer.table("db", "t");
                                        start.await();
                                        for (int i = 0; i < commits; i++) {
                                            writer.write(table, List.of(row(name, i, "v")), false);
                                        }
                                    }
                                    return null;
                                }));
            }
        }
        for (Future<?> committer : committers) {
            committer.get();
        }
        FileStoreTable table = writer().table("db", "t");
        assertThat(TestingLake.rows(table)).hasSize(2 * commits).doesNotHaveDuplicates();
        assertThat(table.snapshotManager().latestSnapshotId()).isEqualTo(2 * commits);
    }

    @Test
    void anyNameIsRead() throws Exception {
        TestingLake writer = writer();
        FileStoreTable table =
                writer.create(
                        "_d\u00fc",
                        "_t %\u4e2d",
                        schema().partitionKeys("p").option("bucket", "-1").build());
        List<InternalRow> rows = new ArrayList<>();
        for (String value : ODD_VALUES) {
            rows.add(row(value, rows.size(), value));
        }
        writer.write(table, rows, false);
        assertThat(lake.catalog().listDatabases()).containsExactly("_d\u00fc");
        assertThat(lake.catalog().listTables("_d\u00fc")).containsExactly("_t %\u4e2d");
        List<String> found = TestingLake.rows(writer.table("_d\u00fc", "_t %\u4e2d"));
        assertThat(found).hasSize(ODD_VALUES.size());
        for (String value : ODD_VALUES) {
            assertThat(found).anyMatch(row -> row.contains(value));
        }
        writer.overwrite(table, rows.subList(0, 4));
        assertThat(TestingLake.rows(writer.table("_d\u00fc", "_t %\u4e2d")))
                .containsExactlyInAnyOrderElementsOf(found);
    }

    @Test
    void readingChangesNothing() throws Exception {
        TestingLake writer = writer();
        writer.write(
                writer.create("db", "t", schema().option("bucket", "-1").build()),
                List.of(row("a", 1, "x")),
                false);
        List<String> before = stored(warehouse);
        try (PaimonLake reader = open(warehouse)) {
            assertThat(reader.catalog().listDatabases()).containsExactly("db");
            assertThat(reader.catalog().listTables("db")).containsExactly("t");
            assertThat(
                            TestingLake.rows(
                                    new TestingLake(reader.catalog(), scratch).table("db", "t")))
                    .hasSize(1);
            assertThat(reader.fileIO().exists(path("none"))).isFalse();
        }
        String none = warehouse + "-none";
        try (PaimonLake reader = open(none)) {
            assertThat(reader.catalog().listDatabases()).isEmpty();
        }
        assertThat(stored(warehouse)).isEqualTo(before);
        assertThat(stored(none)).isEmpty();
    }

    @Test
    void filesReplaceNone() throws Exception {
        Path file = path("d/f.txt");
        assertThat(files.tryToWriteAtomic(file, "first")).isTrue();
        assertThat(files.tryToWriteAtomic(file, "second")).isFalse();
        assertThatThrownBy(() -> files.writeFile(file, "third", false))
                .isInstanceOf(FileAlreadyExistsException.class);
        PositionOutputStream late = files.newOutputStream(file, false);
        late.write("fourth".getBytes(UTF_8));
        assertThatThrownBy(late::close).isInstanceOf(IOException.class);
        assertThat(files.readFileUtf8(file)).isEqualTo("first");
        files.overwriteHintFile(file, "fifth");
        assertThat(files.readFileUtf8(file)).isEqualTo("fifth");
        try (PositionOutputStream over = files.newOutputStream(file, true)) {
            over.write('s');
            over.write("ixth".getBytes(UTF_8));
            assertThat(over.getPos()).isEqualTo(5);
        }
        assertThat(files.readFileUtf8(file)).isEqualTo("sixth");
    }

    @Test
    void largeFilesAreReplaced() throws Exception {
        Path file = path("large.bin");
        files.writeFile(file, "old", false);
        byte[] content = new byte[(16 << 20) + 12_345];
        new Random(1).nextBytes(content);
        try (PositionOutputStream over = files.newOutputStream(file, true)) {
            over.write(content, 0, 1_000);
            over.write(content, 1_000, content.length - 1_000);
        }
        try (SeekableInputStream stream = files.newInputStream(file)) {
            assertThat(Arrays.equals(stream.readAllBytes(), content)).isTrue();
        }
    }

    @Test
    void streamsReadAnywhere() throws Exception {
        byte[] content = new byte[1_000_003];
        Random random = new Random(2);
        random.nextBytes(content);
        Path file = path("t/bucket-0/data-1.orc");
        try (PositionOutputStream output = files.newOutputStream(file, false)) {
            output.write(content);
        }
        assertThat(files.getFileSize(file)).isEqualTo(content.length);
        try (SeekableInputStream stream = files.newInputStream(file)) {
            for (int i = 0; i < 300; i++) {
                int at = random.nextInt(content.length);
                stream.seek(at);
                for (int more = 0; more < 3; more++) {
                    byte[] read = stream.readNBytes(1 << random.nextInt(18));
                    assertThat(Arrays.equals(read, 0, read.length, content, at, at + read.length))
                            .isTrue();
                    at += read.length;
                    assertThat(stream.getPos()).isEqualTo(at);
                }
            }
            stream.seek(content.length);
            assertThat(stream.read()).isEqualTo(-1);
            assertThat(stream.read(new byte[1], 0, 1)).isEqualTo(-1);
            assertThatThrownBy(() -> stream.seek(content.length + 1L))
                    .isInstanceOf(EOFException.class);
            byte[] some = new byte[10];
            ((VectoredReadable) stream).preadFully(content.length - 10L, some, 0, 10);
            assertThat(some)
                    .isEqualTo(Arrays.copyOfRange(content, content.length - 10, content.length));
            assertThat(((VectoredReadable) stream).pread(content.length - 4L, some, 0, 10))
                    .isEqualTo(4);
            assertThat(((VectoredReadable) stream).pread(content.length, some, 0, 10))
                    .isEqualTo(-1);
        }
    }

    @Test
    void foldersHaveOneLevel() throws Exception {
        files.writeFile(path("d/b"), "12", false);
        files.writeFile(path("d/" + oddName()), "1", false);
        files.writeFile(path("d/e/f/g"), "1", false);
        assertThat(files.mkdirs(path("d/empty"))).isTrue();
        assertThat(Arrays.stream(files.listStatus(path("d"))).map(FileStatus::getPath))
                .containsExactlyInAnyOrder(
                        path("d/b"),
                        new Path(path("d") + "/" + oddName()),
                        path("d/e"),
                        path("d/empty"));
        for (FileStatus status : files.listStatus(path("d"))) {
            assertThat(status.isDir())
                    .isEqualTo(List.of("e", "empty").contains(status.getPath().getName()));
            assertThat(files.getFileStatus(status.getPath()).isDir()).isEqualTo(status.isDir());
            assertThat(files.exists(status.getPath())).isTrue();
        }
        assertThat(files.listStatus(path("d/b"))).hasSize(1);
        assertThat(files.getFileStatus(path("d/b")).getLen()).isEqualTo(2);
        assertThat(files.getFileStatus(path("d/b")).getModificationTime()).isPositive();
        assertThat(files.listStatus(path("none"))).isEmpty();
        assertThat(files.listFiles(path("d"), true)).hasSize(3);
        assertThatThrownBy(() -> files.getFileStatus(path("none")))
                .isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> files.newInputStream(path("none")))
                .isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> files.newInputStream(path("snapshot/snapshot-1")))
                .isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> files.delete(path("d"), false))
                .isInstanceOf(DirectoryNotEmptyException.class);
        assertThat(files.delete(path("d/empty"), false)).isTrue();
        assertThat(files.exists(path("d/empty"))).isFalse();
        assertThat(files.rename(path("d/b"), path("d/" + oddName()))).isFalse();
        assertThat(files.rename(path("d/none"), path("d/x"))).isFalse();
        assertThat(files.rename(path("d/b"), path("n/c"))).isTrue();
        assertThat(files.readFileUtf8(path("n/c"))).isEqualTo("12");
        assertThat(files.exists(path("d/b"))).isFalse();
        assertThat(files.rename(path("d/e"), path("n"))).isFalse();
        assertThat(files.rename(path("d/e"), path("n/e"))).isTrue();
        assertThat(files.readFileUtf8(path("n/e/f/g"))).isEqualTo("1");
        assertThat(files.delete(path("n"), true)).isTrue();
        assertThat(files.delete(path("n"), true)).isFalse();
        assertThat(files.exists(path("n/e/f/g"))).isFalse();
    }
}
