package io.stele.engine.manifest;

import static io.stele.engine.manifest.ManifestFiles.SHARD;
import static io.stele.engine.manifest.ManifestFiles.file;
import static io.stele.engine.manifest.ManifestFiles.manifest;
import static io.stele.engine.manifest.ManifestFiles.manifests;
import static io.stele.engine.manifest.ManifestFiles.sketched;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.RoundsStore;
import io.stele.objectstore.RoundsStore.Recorded;
import io.stele.protocol.predicate.ColumnSketch;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Sketches of files, in memory and in bases. */
final class TestManifestSketches {
    private final ObjectStore store = new InMemoryObjectStore();

    /**
     * Whatever changes, and wherever they are: sketches are those that were made with the files.
     */
    @Test
    void sketchesLeaveMemoryAndStayWhatTheyWere() throws IOException {
        SplittableRandom random = new SplittableRandom(12);
        Map<String, Map<Integer, ColumnSketch>> made = new HashMap<>();
        ManifestStore manifests = manifests(store, 1);
        Manifest manifest = Manifest.empty(SHARD);
        int stored = 0;
        for (int version = 1; version <= 150; version++) {
            ManifestEdit edit = manifest.edit();
            for (int i = 0; i < 1 + random.nextInt(3); i++) {
                FileEntry file = sketched(file(random, version + "-" + i), random);
                made.put(file.fileId(), file.sketches().inMemory());
                edit.addFile(file);
            }
            if (manifest.files().size() > 20) {
                List<FileEntry> present = List.copyOf(manifest.files());
                FileEntry some = present.get(random.nextInt(present.size()));
                switch (random.nextInt(4)) {
                    case 0 -> edit.removeFile(some.fileId());
                    case 1 -> edit.replaceFile(some.withLevel(some.level() + 1));
                    case 2 -> { // to the end: an order that the base cannot say
                        edit.removeFile(some.fileId());
                        edit.addFile(some);
                    }
                    default -> {}
                }
            }
            manifest = edit.build();
            assertThat(manifests.create(manifest)).isTrue();
            if (random.nextInt(10) == 0) {
                manifests.deleteOld();
            }
            if (random.nextInt(8) == 0) {
                manifests = manifests(store, 1); // another start
                Manifest loaded = manifests.loadLatest().orElseThrow();
                assertThat(loaded.files().stream().map(FileEntry::fileId))
                        .containsExactlyElementsOf(
                                manifest.files().stream().map(FileEntry::fileId).toList());
                manifest = loaded;
            }
            SketchReads reads = manifests.sketches();
            for (FileEntry file : manifest.files()) {
                assertThat(reads.read(file.sketches())).isEqualTo(made.get(file.fileId()));
                stored += file.sketches().place().isPresent() ? 1 : 0;
            }
            assertGroups(manifest, made);
        }
        assertThat(stored).isGreaterThan(5_000);
    }

    /** A group is what its files are together; those that are no more may be in it as well. */
    private static void assertGroups(
            Manifest manifest, Map<String, Map<Integer, ColumnSketch>> made) {
        Map<FileSketches.Group, SketchBuilder> sums = new HashMap<>();
        Map<FileSketches.Group, Long> rows = new HashMap<>();
        for (FileEntry file : manifest.files()) {
            file.sketches()
                    .place()
                    .map(FileSketches.Place::group)
                    .ifPresent(
                            group -> {
                                sums.computeIfAbsent(group, same -> new SketchBuilder())
                                        .merge(made.get(file.fileId()).get(1));
                                rows.merge(group, file.rowCount(), Long::sum);
                            });
        }
        sums.forEach(
                (group, sum) -> {
                    ColumnSketch found = group.sketches().get(1);
                    assertThat(group.rowCount()).isGreaterThanOrEqualTo(rows.get(group));
                    if (group.rowCount() == rows.get(group)) {
                        assertThat(found).isEqualTo(sum.build());
                    }
                });
    }

    /** A stripe has 500 files: read one after the other they would be hundreds of requests. */
    @Test
    void aStartReadsTheSketchesOfManyFilesInFewRequests() throws IOException {
        assertThat(manifests(store, 1).create(sketchedFiles(14, 4_000))).isTrue();
        RoundsStore far = new RoundsStore(store);
        Recorded<Manifest> start = far.record(() -> manifests(far, 1).loadLatest().orElseThrow());
        assertThat(start.result().files())
                .hasSize(4_000)
                .allMatch(file -> file.sketches().place().isPresent());
        assertThat(start.requests()).hasSizeLessThanOrEqualTo(12);
    }

    /** If a base is gone, another engine has the shard: it is to be noticed by a version. */
    @Test
    void sketchesOfALostBaseAreNone() throws IOException {
        ManifestStore manifests = manifests(store, 1);
        Manifest manifest = sketchedFiles(13, 40);
        manifests.create(manifest);
        FileSketches some = manifest.files().iterator().next().sketches();
        assertThat(some.inMemory()).isEmpty();
        assertThat(manifests.sketches().read(some)).isNotEmpty();
        for (ObjectEntry base : store.list("manifest/3-1/base/")) {
            store.delete(base.path());
        }
        assertThat(manifests.sketches().read(some)).isEmpty();
        assertThat(manifests.create(manifest.edit().removeFile("f7").removeFile("f9").build()))
                .isTrue();
    }

    private static Manifest sketchedFiles(long seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        ManifestEdit edit = Manifest.empty(SHARD).edit();
        for (int i = 0; i < count; i++) {
            edit.addFile(sketched(file(random, "f" + i), random));
        }
        return edit.build();
    }
}
