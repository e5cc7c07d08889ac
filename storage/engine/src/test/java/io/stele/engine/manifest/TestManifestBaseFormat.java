package io.stele.engine.manifest;

import static io.stele.engine.manifest.ManifestFiles.BASES;
import static io.stele.engine.manifest.ManifestFiles.OWNER;
import static io.stele.engine.manifest.ManifestFiles.SHARD;
import static io.stele.engine.manifest.ManifestFiles.assertSame;
import static io.stele.engine.manifest.ManifestFiles.bounded;
import static io.stele.engine.manifest.ManifestFiles.bytes;
import static io.stele.engine.manifest.ManifestFiles.file;
import static io.stele.engine.manifest.ManifestFiles.json;
import static io.stele.engine.manifest.ManifestFiles.manifest;
import static io.stele.engine.manifest.ManifestFiles.manifests;
import static io.stele.engine.manifest.ManifestFiles.predicate;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.metadata.ChecksummingWriter;
import io.stele.engine.manifest.orc.OrcManifestBaseFormat;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.NumberedName;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.testing.Golden;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Manifests as a base and what changed since: whatever changes, what is loaded is what was made.
 */
final class TestManifestBaseFormat {
    /** The file metadata of the golden base with JSON. */
    private static final int TAIL_OF_JSON = 989;

    private final ObjectStore store = new InMemoryObjectStore();

    private List<String> bases() throws IOException {
        return store.list("manifest/3-1/base/").stream().map(ObjectEntry::path).toList();
    }

    @Test
    void whateverChangesIsLoaded() throws IOException {
        for (int minChanges : List.of(1, 3, 20)) {
            SplittableRandom random = new SplittableRandom(minChanges);
            ManifestStore manifests = new ManifestStore(store, SHARD, OWNER, BASES, minChanges);
            Manifest manifest = Manifest.empty(SHARD);
            int next = 0;
            for (int version = 1; version <= 120; version++) {
                ManifestEdit edit = manifest.edit().epoch(version / 50 + 1L);
                List<FileEntry> present = new ArrayList<>(manifest.files());
                for (int i = random.nextInt(4); i > 0; i--) {
                    edit.addFile(file(random, "f" + next++));
                }
                if (!present.isEmpty()) {
                    FileEntry some = present.get(random.nextInt(present.size()));
                    switch (random.nextInt(5)) {
                        case 0 -> edit.removeFile(some.fileId());
                        case 1 -> edit.replaceFile(some.withLevel(some.level() + 1));
                        case 2 -> {
                            edit.removeFile(some.fileId());
                            edit.addFile(some); // goes to the end
                        }
                        case 3 -> edit.removeTable(some.tableId());
                        default -> {}
                    }
                }
                manifest = edit.build();
                assertThat(manifests.create(manifest)).isTrue();
                assertSame(manifests(store, minChanges).loadLatest().orElseThrow(), manifest);
                assertSame(manifests.load(version), manifest);
                ManifestFilter some =
                        ManifestFilter.ofPartition(
                                new TableId(1 + random.nextInt(4)), bytes(random, 1));
                // A changed file may come behind one that the filter leaves out of the base
                assertThat(json(manifests(store, minChanges).find(some)))
                        .containsExactlyInAnyOrderElementsOf(
                                json(
                                        manifest.files().stream()
                                                .filter(some::matches)
                                                .map(file -> file.withSketches(Map.of()))
                                                .toList()));
                if (random.nextInt(6) == 0) {
                    manifests(store, minChanges).deleteOld();
                    manifests = manifests(store, minChanges); // another start
                    manifest = manifests.loadLatest().orElseThrow();
                }
                for (int kept = Math.max(1, version - 4); kept <= version; kept++) {
                    manifests(store, minChanges).load(kept); // nothing they need is gone
                }
            }
            for (ObjectEntry entry : store.list("manifest/")) {
                store.delete(entry.path());
            }
        }
    }

    @Test
    void aVersionHasWhatChanged() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        ManifestStore manifests = manifests(store, ManifestStore.MIN_CHANGES);
        Manifest many = manifest(random, 2_000);
        manifests.create(many);
        assertThat(bases()).hasSize(3); // and its sketches, and their checksums
        Manifest more = many.edit().addFile(file(random, "new")).removeFile("f7").build();
        manifests.create(more);
        assertThat(store.size("manifest/3-1/00000000000000000002")).isLessThan(3_000);
        assertThat(bases()).hasSize(3);
        assertSame(manifests(store, 1).loadLatest().orElseThrow(), more);
    }

    @Test
    void fewFilesNeedNoBase() throws IOException {
        ManifestStore manifests = manifests(store, ManifestStore.MIN_CHANGES);
        manifests.create(manifest(new SplittableRandom(1), 64));
        assertThat(bases()).isEmpty();
    }

    @Test
    void basesGoWithTheVersionsThatNameThem() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        ManifestStore manifests = manifests(store, 1);
        Manifest manifest = Manifest.empty(SHARD);
        for (int version = 1; version <= 30; version++) {
            manifest =
                    manifest.edit()
                            .addFile(file(random, "a" + version))
                            .addFile(file(random, "b" + version))
                            .build();
            manifests.create(manifest);
        }
        String ofTheNext = "manifest/3-1/base/00000000000000000031-9-0"; // about to be named
        store.put(ofTheNext, new byte[1]);
        store.put("manifest/3-1/base/notes.txt", new byte[1]);
        manifests.deleteOld();
        assertThat(bases())
                .contains(ofTheNext, "manifest/3-1/base/notes.txt")
                .hasSizeLessThan(2 + 3 * 6);
        assertSame(manifests(store, 1).loadLatest().orElseThrow(), manifest);
    }

    /** The owner goes on while somebody reads: between any two of its requests. */
    @Test
    void aReaderWhoseBaseGoesFindsANewerOne() throws IOException {
        for (int stop = 0; stop < 12; stop++) {
            SplittableRandom random = new SplittableRandom(stop);
            ShardId shard = new ShardId(3, stop);
            ManifestStore owner = new ManifestStore(store, shard, OWNER, BASES, 1);
            List<Manifest> history = new ArrayList<>(List.of(Manifest.empty(shard)));
            advance(owner, history, random);
            int started = history.size() - 1;
            ObjectStore meanwhile =
                    new InterruptedStore(store, stop) {
                        @Override
                        void interrupt() throws IOException {
                            advance(owner, history, random);
                            owner.deleteOld();
                        }
                    };
            ManifestStore reader = new ManifestStore(meanwhile, shard, OWNER, BASES, 1);
            Manifest loaded = reader.loadLatest().orElseThrow();
            assertThat(loaded.version()).isGreaterThanOrEqualTo(started);
            assertSame(loaded, history.get((int) loaded.version()));

            meanwhile =
                    new InterruptedStore(store, stop) {
                        @Override
                        void interrupt() throws IOException {
                            advance(owner, history, random);
                            owner.deleteOld();
                        }
                    };
            reader = new ManifestStore(meanwhile, shard, OWNER, BASES, 1);
            List<String> found = json(reader.find(ManifestFilter.ALL));
            assertThat(history.stream().map(version -> json(List.copyOf(version.files()))))
                    .contains(found);
        }
    }

    /** A store in which something happens before one of its reads. */
    private abstract static class InterruptedStore extends ForwardingObjectStore {
        private int readsLeft;

        InterruptedStore(ObjectStore store, int readsLeft) {
            super(store);
            this.readsLeft = readsLeft;
        }

        abstract void interrupt() throws IOException;

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            count();
            super.read(path, offset, buffer, bufferOffset, length);
        }

        @Override
        public byte[] readFully(String path) throws IOException {
            count();
            return super.readFully(path);
        }

        private void count() throws IOException {
            if (readsLeft-- == 0) {
                interrupt();
            }
        }
    }

    /** Twenty versions with a base each, of which the owner keeps the last few. */
    private static void advance(
            ManifestStore owner, List<Manifest> history, SplittableRandom random)
            throws IOException {
        for (int i = 0; i < 20; i++) {
            Manifest last = history.getLast();
            Manifest next =
                    last.edit()
                            .epoch(1)
                            .addFile(file(random, "a" + last.version()))
                            .addFile(file(random, "b" + last.version()))
                            .build();
            assertThat(owner.create(next)).isTrue();
            history.add(next);
        }
    }

    @Test
    void aBaseThatIsLostIsMissed() throws IOException {
        Manifest manifest = manifest(new SplittableRandom(5), 10);
        manifests(store, 1).create(manifest);
        for (String path : bases()) {
            store.delete(path);
        }
        assertThatThrownBy(() -> manifests(store, 1).loadLatest())
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("manifest/3-1/base/");
    }

    @Test
    void aVersionWithoutBaseIsFollowedByNoOlderBase() throws IOException {
        SplittableRandom random = new SplittableRandom(6);
        ManifestStore manifests = manifests(store, 50);
        Manifest manifest = manifest(random, 60);
        manifests.create(manifest); // with a base
        assertThat(bases()).hasSize(3);
        List<FileEntry> others = List.copyOf(manifest.files()).subList(0, 40).reversed();
        manifest =
                new Manifest(
                        2,
                        4,
                        SHARD,
                        FileEntries.of(others),
                        List.of(),
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        Optional.empty());
        manifests.create(manifest); // in an order that the base cannot say
        manifest =
                new Manifest(
                        2,
                        4,
                        SHARD,
                        FileEntries.of(others.reversed()),
                        List.of(),
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        Optional.empty());
        for (int version = 3; version <= 12; version++) {
            manifest = manifest.edit().addFile(file(random, "n" + version)).build();
            manifests.create(manifest);
            manifests(store, 50).deleteOld();
            assertSame(manifests(store, 50).loadLatest().orElseThrow(), manifest);
        }
    }

    @Test
    void damagedBytesAreNoticed() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        List<FileEntry> files = List.copyOf(manifest(random, 200).files());
        String path = "manifest/3-1/base/x";
        ManifestBase base = BASES.write(store, path, 1, files);
        for (String object : BASES.paths(path)) {
            byte[] good = store.readFully(object);
            for (int i = 0; i < 100; i++) {
                byte[] bad = good.clone();
                bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
                store.put(object, bad);
                assertThatThrownBy(() -> BASES.read(store, base, false))
                        .isInstanceOfSatisfying(
                                SteleException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                        .hasMessageContaining(path);
            }
            store.put(object, good);
        }
        assertThat(BASES.read(store, base, false)).hasSize(200);
    }

    @Test
    void goldenFile() throws IOException {
        List<FileEntry> files = boundedFiles();
        String path = "manifest/3-1/base/golden";
        ManifestBase base = OrcManifestBaseFormat.ofStripes(4).write(store, path, 1, files);
        Golden.check("manifest-base-3.orc", store.readFully(path));
        Golden.check("manifest-base-2.orc.sketches", store.readFully(base.sketchesPath()));
        store.put(path, Golden.load("manifest-base-3.orc"));
        store.put(base.sketchesPath(), Golden.load("manifest-base-2.orc.sketches"));
        assertThat(json(BASES.read(store, base, false))).isEqualTo(json(files));
    }

    private static List<FileEntry> boundedFiles() {
        SplittableRandom random = new SplittableRandom(43);
        List<FileEntry> files = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            files.add(bounded(file(random, "f" + i), random));
        }
        return files;
    }

    /** Releases that expect JSON in a base refuse the version that names it. */
    @Test
    void goldenFileOfAVersionWithABase() throws IOException {
        ManifestStore manifests = manifests(store, 12);
        Manifest first = Manifest.empty(SHARD).edit().epoch(4).build();
        for (FileEntry file : boundedFiles()) {
            first = first.edit().addFile(file).build();
        }
        manifests.create(first);
        assertThat(formatVersion(first.version())).isEqualTo(7);
        Manifest second = first.edit().addFile(file(new SplittableRandom(44), "g")).build();
        second = second.edit().addFile(file(new SplittableRandom(45), "h")).build();
        second = second.edit().addFile(file(new SplittableRandom(46), "i")).build();
        manifests.create(second);
        assertThat(formatVersion(second.version())).isEqualTo(9);
        String path = "manifest/3-1/" + NumberedName.of(second.version());
        Golden.check("manifest-9", store.readFully(path));
        store.put(path, Golden.load("manifest-9"));
        assertSame(manifests(store, 12).loadLatest().orElseThrow(), second);
    }

    private int formatVersion(long version) throws IOException {
        byte[] content = store.readFully("manifest/3-1/" + NumberedName.of(version));
        return content[8];
    }

    @Test
    void entriesOfALaterFormatAreRefused() throws IOException {
        String path = "manifest/3-1/base/x";
        ManifestBase base = BASES.write(store, path, 1, boundedFiles());
        ManifestBase later =
                new ManifestBase(
                        base.version(),
                        path,
                        base.sizeBytes(),
                        base.entryCount(),
                        base.tailBytes(),
                        base.checksums(),
                        base.sketchBytes(),
                        OptionalInt.of(2));
        assertThatThrownBy(() -> BASES.read(store, later, false))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessage("Expected entry format 1, found 2 in %s at offset 0".formatted(path));
    }

    @Test
    void aFileThatIsThereTwiceIsDamage() throws IOException {
        FileEntry file = file(new SplittableRandom(3), "twice");
        String path = "manifest/3-1/base/x";
        ManifestBase base = BASES.write(store, path, 1, List.of(file, file));
        StoredManifest version =
                StoredManifest.difference(
                                Manifest.empty(SHARD).edit().build(), base, FileEntries.of())
                        .orElseThrow();
        store.put(
                "manifest/3-1/" + NumberedName.of(1),
                VersionedFrame.MANIFEST.encode(1, OWNER, json(version).getBytes(UTF_8)));
        assertThatThrownBy(() -> manifests(store, 1).loadLatest())
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining("found twice twice")
                .hasMessageContaining(path);
    }

    /** Written by the last version whose entries were JSON. */
    @Test
    void goldenFileOfJson() throws IOException {
        List<FileEntry> files = boundedFiles();
        String path = "manifest/3-1/base/golden";
        byte[] golden = Golden.load("manifest-base-2.orc");
        byte[] sketches = Golden.load("manifest-base-2.orc.sketches");
        Optional<String> checksums;
        try (ChecksummingWriter output = ChecksummingWriter.createAlone(store, path)) {
            output.write(golden);
            output.commit();
            checksums = Optional.of(Base64.getEncoder().encodeToString(output.checksums()));
        }
        ManifestBase base =
                new ManifestBase(
                        1,
                        path,
                        golden.length,
                        10,
                        OptionalInt.of(TAIL_OF_JSON),
                        checksums,
                        OptionalLong.of(sketches.length),
                        OptionalInt.empty());
        try (ChecksummingWriter output = ChecksummingWriter.create(store, base.sketchesPath())) {
            output.write(sketches);
            output.commit();
        }
        assertThat(
                        StoredManifest.difference(Manifest.empty(SHARD), base, FileEntries.of())
                                .orElseThrow()
                                .formatVersion())
                .as("of a version that names it")
                .isEqualTo(7);
        assertThat(json(BASES.read(store, base, false))).isEqualTo(json(files));
        SplittableRandom random = new SplittableRandom(47);
        for (int i = 0; i < 50; i++) {
            ManifestFilter filter =
                    ManifestFilter.ofPartition(new TableId(1 + random.nextInt(4)), bytes(random, 1))
                            .where(predicate(random), 1);
            assertThat(json(BASES.select(store, base, filter)))
                    .isEqualTo(
                            json(
                                    files.stream()
                                            .filter(filter::matches)
                                            .map(file -> file.withSketches(Map.of()))
                                            .toList()));
        }
    }

    /** Written by the first version that had bases. */
    @Test
    void goldenFileOfBefore() throws IOException {
        List<FileEntry> files = List.copyOf(manifest(new SplittableRandom(42), 10).files());
        String path = "manifest/3-1/base/golden";
        byte[] golden = Golden.load("manifest-base-1.orc");
        try (ChecksummingWriter output = ChecksummingWriter.create(store, path)) {
            output.write(golden);
            output.commit();
        }
        ManifestBase base = new ManifestBase(1, path, golden.length, 10);
        assertThat(json(BASES.read(store, base, false))).isEqualTo(json(files));
        ManifestFilter filter = ManifestFilter.ofPartition(new TableId(2), new byte[] {85});
        assertThat(json(BASES.select(store, base, filter)))
                .isEqualTo(
                        json(
                                files.stream()
                                        .filter(filter::matches)
                                        .map(file -> file.withSketches(Map.of()))
                                        .toList()));
    }
}
