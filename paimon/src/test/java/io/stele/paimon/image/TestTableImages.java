package io.stele.paimon.image;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.lease.ManualChecks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.paimon.Snapshot;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestTableImages {
    private static final Map<String, String> BUCKETS = Map.of("bucket", "2");

    @TempDir Path folder;

    private final ManualChecks timer = new ManualChecks();

    @Test
    void sendsNoRequestForACachedImage() throws Exception {
        LakeTable lake = lake();
        TableImages images = images(Optional.empty());
        FileStoreTable table = lake.open();
        Snapshot snapshot = lake.snapshot();
        TableImage image = images.image(table, snapshot);
        lake.files().clear();

        assertThat(images.image(table, snapshot)).isSameAs(image);
        assertThat(image.find(ImageFilter.ALL)).hasSameElementsAs(image.find(ImageFilter.ALL));
        assertThat(lake.files().requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"avro, Obj", "orc, ORC", "parquet, PAR1"})
    void readsManifestsOfAllFormats(String format, String magic) throws Exception {
        Map<String, String> options = new HashMap<>(BUCKETS);
        options.put("manifest.format", format);
        LakeTable lake = LakeTable.create(folder, "t_" + format, true, options);
        fill(lake);
        TableImages images = images(Optional.empty());
        assertThat(images.image(lake.open(), lake.snapshot()).find(ImageFilter.ALL))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
        lake.write(LakeTable.row("d1", 7, 7));
        lake.truncate("d2");
        assertThat(images.image(lake.open(), lake.snapshot()).find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
        assertThat(images.statistics().advanced()).isEqualTo(1);
        try (Stream<Path> manifests =
                Files.list(folder.resolve("t_" + format).resolve("manifest"))) {
            assertThat(manifests.toList())
                    .isNotEmpty()
                    .allMatch(file -> startsWith(file, magic), "begins with " + magic);
        }
    }

    @Test
    void advancesByTheDeltaAlone() throws Exception {
        LakeTable lake = lake();
        TableImages images = images(Optional.empty());
        images.image(lake.open(), lake.snapshot());
        lake.write(LakeTable.row("d1", 7, 7));
        Snapshot snapshot = lake.snapshot();
        FileStoreTable table = lake.open();
        lake.files().clear();

        TableImage image = images.image(table, snapshot);

        List<String> requests = lake.files().requests();
        assertThat(requests)
                .as("the earlier snapshot again, the delta's list and its manifest")
                .hasSize(3)
                .contains("snapshot-" + (snapshot.id() - 1), snapshot.deltaManifestList())
                .anyMatch(name -> name.startsWith("manifest-") && !name.contains("list"));
        assertThat(images.statistics().advanced()).isEqualTo(1);
        assertThat(image.find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
    }

    @Test
    void buildsFromNothingAfterAGap() throws Exception {
        LakeTable lake = lake();
        TableImages images = images(Optional.empty());
        images.image(lake.open(), lake.snapshot());
        for (int i = 0; i < 3; i++) {
            lake.write(LakeTable.row("d1", i, i));
        }
        lake.expire();

        TableImage image = images.image(lake.open(), lake.snapshot());

        assertThat(images.statistics().built()).isEqualTo(2);
        assertThat(image.find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
    }

    @Test
    void buildsFromNothingForANewTableAtTheSamePlace() throws Exception {
        LakeTable lake = lake();
        TableImages images =
                images(Optional.of(new ImageFolder(folder.resolve("images"), 1 << 20)));
        images.image(lake.open(), lake.snapshot());
        lake.drop();
        // The same numbers of files and rows, and the same ids of snapshots, plus one.
        lake.create(true, BUCKETS);
        fill(lake);
        lake.write(LakeTable.row("d2", 1, 1));

        TableImage image = images.image(lake.open(), lake.snapshot());

        assertThat(image.find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
        assertThat(images.statistics().built()).isEqualTo(2);
    }

    @Test
    void followsARollback() throws Exception {
        LakeTable lake = lake();
        TableImages images = images(Optional.empty());
        long first = lake.snapshot().id();
        lake.write(LakeTable.row("d1", 7, 7));
        images.image(lake.open(), lake.snapshot());
        lake.open().rollbackTo(first);
        lake.write(LakeTable.row("d2", 8, 8));
        lake.write(LakeTable.row("d3", 9, 9));

        TableImage image = images.image(lake.open(), lake.snapshot());

        assertThat(image.find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
    }

    @Test
    void reopensAPersistedImage() throws Exception {
        LakeTable lake = lake();
        Path persisted = folder.resolve("images");
        TableImage before =
                images(Optional.of(new ImageFolder(persisted, 1 << 20)))
                        .image(lake.open(), lake.snapshot());
        FileStoreTable table = lake.open();
        Snapshot snapshot = lake.snapshot();
        lake.files().clear();

        TableImages images = images(Optional.of(new ImageFolder(persisted, 1 << 20)));
        TableImage image = images.image(table, snapshot);

        assertThat(image.find(ImageFilter.ALL)).isEqualTo(before.find(ImageFilter.ALL));
        assertThat(image.partitions()).isEqualTo(before.partitions());
        assertThat(lake.files().requests()).isEmpty();
        assertThat(images.statistics().reopened()).isEqualTo(1);

        lake.write(LakeTable.row("d1", 7, 7));
        TableImages later = images(Optional.of(new ImageFolder(persisted, 1 << 20)));
        assertThat(later.image(lake.open(), lake.snapshot()).find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
        assertThat(later.statistics().advanced()).isEqualTo(1);
        assertThat(later.statistics().built()).isZero();
    }

    @Test
    void repairsADamagedBlock() throws Exception {
        LakeTable lake = lake();
        Path persisted = folder.resolve("images");
        TableImage before =
                images(Optional.of(new ImageFolder(persisted, 1 << 20)))
                        .image(lake.open(), lake.snapshot());
        Path file = onlyFile(persisted);
        byte[] bytes = Files.readAllBytes(file);
        bytes[40] ^= 1; // in the first block
        Files.write(file, bytes);

        TableImages images = images(Optional.of(new ImageFolder(persisted, 1 << 20)));
        TableImage image = images.image(lake.open(), lake.snapshot());
        assertThat(images.statistics().reopened()).isEqualTo(1);

        assertThat(image.find(ImageFilter.ALL)).isEqualTo(before.find(ImageFilter.ALL));
        assertThat(image.find(ImageFilter.ALL)).isEqualTo(before.find(ImageFilter.ALL));
        assertThat(images.statistics().damaged()).isEqualTo(1);
        assertThat(images.statistics().built()).isEqualTo(1);
        // The repaired image is persisted in place of the damaged one.
        assertThat(ImageFile.open(onlyFile(persisted)).find(ImageFilter.ALL))
                .isEqualTo(before.find(ImageFilter.ALL));
    }

    /** So that a restart reads the deltas of half a minute, however few they are. */
    @Test
    void persistsAdvancedImagesByTimeToo() throws Exception {
        LakeTable lake = lake();
        Path persisted = folder.resolve("images");
        TableImages images = images(Optional.of(new ImageFolder(persisted, 1 << 20)));
        images.image(lake.open(), lake.snapshot());
        lake.write(LakeTable.row("d1", 7, 7));
        images.image(lake.open(), lake.snapshot());
        lake.write(LakeTable.row("d1", 8, 8));
        FileStoreTable table = lake.open();
        Snapshot snapshot = lake.snapshot();
        images.image(table, snapshot);
        assertThat(onlyFile(persisted).toString()).doesNotContain("-" + snapshot.id() + ".image");
        timer.pass(Duration.ofSeconds(31));
        assertThat(onlyFile(persisted).toString()).contains("-" + snapshot.id() + ".image");
        assertThat(timer.hasTasks()).isFalse();
        lake.files().clear();

        TableImages restarted = images(Optional.of(new ImageFolder(persisted, 1 << 20)));
        assertThat(restarted.image(table, snapshot).find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(
                        images.image(table, snapshot).find(ImageFilter.ALL));
        assertThat(lake.files().requests()).isEmpty();
        assertThat(restarted.statistics().reopened()).isEqualTo(1);
    }

    @Test
    void advancesOverADamagedBlock() throws Exception {
        LakeTable lake = lake();
        Path persisted = folder.resolve("images");
        images(Optional.of(new ImageFolder(persisted, 1 << 20)))
                .image(lake.open(), lake.snapshot());
        Path file = onlyFile(persisted);
        byte[] bytes = Files.readAllBytes(file);
        bytes[40] ^= 1;
        Files.write(file, bytes);
        lake.write(LakeTable.row("d1", 7, 7));

        TableImages images = images(Optional.of(new ImageFolder(persisted, 1 << 20)));

        assertThat(images.image(lake.open(), lake.snapshot()).find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
        assertThat(images.statistics().notApplicable()).isEqualTo(1);
    }

    @Test
    void dropsAnImageThatDiffers() throws Exception {
        LakeTable lake = lake();
        Path persisted = folder.resolve("images");
        List<ManifestEntry> files = lake.paimonsFiles();
        persistWithoutAFile(lake, persisted);
        TableImages images =
                new TableImages(
                        options(16 << 20, 2, 1),
                        timer,
                        Runnable::run,
                        Optional.of(new ImageFolder(persisted, 1 << 20)));
        lake.write(LakeTable.row("d3", 7, 7));
        assertThat(images.image(lake.open(), lake.snapshot()).total().fileCount())
                .isEqualTo(files.size());

        assertThat(images.statistics().different()).isEqualTo(1);
        timer.pass(Duration.ofSeconds(31));
        assertThat(persisted).as("nor is it persisted by time").isEmptyDirectory();
        assertThat(images.image(lake.open(), lake.snapshot()).find(ImageFilter.ALL))
                .containsExactlyInAnyOrderElementsOf(lake.paimonsFiles());
        assertThat(images.statistics().built()).isEqualTo(1);
    }

    @Test
    void persistsNoImageThatWasDroppedBefore() throws Exception {
        LakeTable lake = lake();
        Path persisted = folder.resolve("images");
        persistWithoutAFile(lake, persisted);
        Deque<Runnable> tasks = new ArrayDeque<>();
        TableImages images =
                new TableImages(
                        new ImageOptions(16 << 20, 1, 10, 1, 1, Duration.ofSeconds(30)),
                        timer,
                        tasks::add,
                        Optional.of(new ImageFolder(persisted, 1 << 20)));
        lake.write(LakeTable.row("d3", 7, 7));
        images.image(lake.open(), lake.snapshot());
        assertThat(tasks).as("to persist it and to verify it").hasSize(2);
        tasks.removeLast().run();
        assertThat(images.statistics().different()).isEqualTo(1);
        tasks.remove().run();
        assertThat(persisted).isEmptyDirectory();
    }

    @Test
    void persistsAnImageThatWaitedForAnother() throws Exception {
        LakeTable lake = lake();
        Path persisted = folder.resolve("images");
        Deque<Runnable> tasks = new ArrayDeque<>();
        TableImages images =
                new TableImages(
                        options(16 << 20, 1, 10),
                        timer,
                        tasks::add,
                        Optional.of(new ImageFolder(persisted, 1 << 20)));
        images.image(lake.open(), lake.snapshot());
        lake.write(LakeTable.row("d1", 7, 7));
        Snapshot snapshot = lake.snapshot();
        images.image(lake.open(), snapshot);
        timer.pass(Duration.ofSeconds(31));
        assertThat(tasks).as("the first image").hasSize(1);
        tasks.remove().run();
        assertThat(onlyFile(persisted).toString()).doesNotContain("-" + snapshot.id() + ".image");
        timer.pass(Duration.ofSeconds(31));
        tasks.remove().run();
        assertThat(onlyFile(persisted).toString()).contains("-" + snapshot.id() + ".image");
        assertThat(timer.hasTasks()).isFalse();
    }

    @Test
    void buildsAnImageOnce() throws Exception {
        LakeTable lake = lake();
        FileStoreTable table = lake.open();
        Snapshot snapshot = lake.snapshot();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            TableImages images =
                    new TableImages(options(16 << 20, 4, 10), timer, threads, Optional.empty());
            List<Future<TableImage>> results = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                results.add(threads.submit(() -> images.image(table, snapshot)));
            }
            for (Future<TableImage> result : results) {
                assertThat(result.get()).isSameAs(results.getFirst().get());
            }
            assertThat(images.statistics().built()).isEqualTo(1);
        }
    }

    @Test
    void staysWithinItsLimit() throws Exception {
        LakeTable lake = lake();
        FileStoreTable table = lake.open();
        Snapshot snapshot = lake.snapshot();
        TableImages images =
                new TableImages(options(100, 2, 10), timer, Runnable::run, Optional.empty());

        for (int i = 0; i < 3; i++) {
            assertThat(images.image(table, snapshot).find(ImageFilter.ALL)).isNotEmpty();
        }

        assertThat(images.statistics().cache().weightBytes()).isLessThanOrEqualTo(100);
        assertThat(images.statistics().built()).isEqualTo(3);
    }

    @Test
    void keepsTheNewestVersions() throws Exception {
        LakeTable lake = lake();
        TableImages images = images(Optional.empty());
        for (int i = 0; i < 6; i++) {
            lake.write(LakeTable.row("d1", i, i));
            images.image(lake.open(), lake.snapshot());
        }

        assertThat(images.statistics().cache().entries()).isEqualTo(3);
    }

    @Test
    void failsWithTheFailureOfTheStoreAndTriesAgain() throws Exception {
        LakeTable lake = lake();
        FileStoreTable table = lake.open();
        Snapshot snapshot = lake.snapshot();
        TableImages images = images(Optional.empty());
        lake.files().fail("manifest-");

        assertThatThrownBy(() -> images.image(table, snapshot))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no answer");

        lake.files().fail(null);
        assertThat(images.image(table, snapshot).find(ImageFilter.ALL)).isNotEmpty();
    }

    @Test
    void placesDeletionVectorsAsPaimonDoes() throws Exception {
        LakeTable lake =
                LakeTable.create(
                        folder,
                        "dv",
                        true,
                        Map.of("bucket", "2", "deletion-vectors.enabled", "true"));
        TableImages images = images(Optional.empty());
        fill(lake);
        lake.write(List.of(LakeTable.row("d1", 1, 1), LakeTable.row("d1", 2, 1)), true);
        lake.write(
                List.of(LakeTable.row(RowKind.DELETE, "d1", 1, 1), LakeTable.row("d2", 3, 8)),
                true);
        int vectors = 0;
        FileStoreTable table = lake.open();
        Snapshot snapshot = lake.snapshot();
        DeletionVectors found = images.deletionVectors(table, snapshot);
        for (Split split : table.newSnapshotReader().withSnapshot(snapshot).read().splits()) {
            DataSplit data = (DataSplit) split;
            for (int i = 0; i < data.dataFiles().size(); i++) {
                DeletionFile file =
                        data.deletionFiles().map(List::iterator).isPresent()
                                ? data.deletionFiles().orElseThrow().get(i)
                                : null;
                Optional<DeletionVectorLocation> location =
                        found.find(
                                data.partition(),
                                data.bucket(),
                                data.dataFiles().get(i).fileName());
                assertThat(location.isPresent()).isEqualTo(file != null);
                if (file != null) {
                    vectors++;
                    assertThat(location.orElseThrow())
                            .isEqualTo(
                                    new DeletionVectorLocation(
                                            file.path(),
                                            file.offset(),
                                            file.length(),
                                            file.cardinality() == null ? -1 : file.cardinality()));
                }
            }
        }
        assertThat(found.size()).isEqualTo(vectors);
        lake.files().clear();
        assertThat(images.deletionVectors(table, snapshot)).isSameAs(found);
        assertThat(lake.files().requests()).isEmpty();
    }

    private LakeTable lake() throws Exception {
        LakeTable lake = LakeTable.create(folder, "t", true, BUCKETS);
        fill(lake);
        return lake;
    }

    private static void fill(LakeTable lake) throws Exception {
        lake.write(
                LakeTable.row("d1", 1, 10),
                LakeTable.row("d1", 2, 20),
                LakeTable.row("d2", 1, 30),
                LakeTable.row("d3", 4, 40));
    }

    /** Persists an image of the right snapshot that lacks a file. */
    private static void persistWithoutAFile(LakeTable lake, Path persisted) throws Exception {
        List<ManifestEntry> files = lake.paimonsFiles();
        FileStoreTable table = lake.open();
        new ImageFolder(persisted, 1 << 20)
                .write(
                        new ImageBuilder(
                                        TableId.of(table),
                                        KeyColumns.of(table),
                                        1,
                                        new ParallelTasks(Runnable::run, 1))
                                .build(
                                        SnapshotIdentity.of(lake.snapshot()),
                                        files.subList(1, files.size())));
    }

    private static ImageOptions options(long maxBytes, int parallelism, int deltasToVerify) {
        return new ImageOptions(
                maxBytes, parallelism, 10, deltasToVerify, 10, Duration.ofSeconds(30));
    }

    private TableImages images(Optional<ImageFolder> folder) {
        return new TableImages(options(16 << 20, 4, 10), timer, Runnable::run, folder);
    }

    private static boolean startsWith(Path file, String magic) {
        try {
            return new String(Files.readAllBytes(file), ISO_8859_1).startsWith(magic);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path onlyFile(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return all.getFirst();
        }
    }
}
