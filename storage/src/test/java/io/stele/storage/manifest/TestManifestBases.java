package io.stele.storage.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.schema.SchemaJson;
import io.stele.storage.format.ChecksummingWriter;
import io.stele.storage.format.Golden;
import io.stele.storage.format.SketchBuilder;
import io.stele.storage.objectstore.ForwardingObjectStore;
import io.stele.storage.objectstore.InMemoryObjectStore;
import io.stele.storage.objectstore.ObjectEntry;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.orc.OrcManifestBases;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Manifests as a base and what changed since: whatever changes, what is loaded is what was made.
 */
final class TestManifestBases {
    private static final ShardId SHARD = new ShardId(3, 1);
    private static final UUID OWNER = new UUID(1, 2);
    private static final OrcManifestBases BASES = OrcManifestBases.INSTANCE;

    private final ObjectStore store = new InMemoryObjectStore();

    private ManifestStore manifests(int minChanges) {
        return new ManifestStore(store, SHARD, OWNER, BASES, minChanges);
    }

    private List<String> bases() throws IOException {
        return store.list("manifest/3-1/base/").stream().map(ObjectEntry::path).toList();
    }

    private static FileEntry file(SplittableRandom random, String id) {
        Optional<byte[]> min = Optional.empty();
        Optional<byte[]> max = Optional.empty();
        if (random.nextInt(5) > 0) {
            byte[] low = bytes(random, 1 + random.nextInt(3));
            min = Optional.of(low);
            max = Optional.of(Arrays.copyOf(low, 4)); // zeros at the end: above
        }
        Optional<byte[]> partition =
                random.nextInt(4) == 0 ? Optional.empty() : Optional.of(bytes(random, 1));
        Map<Integer, ColumnSketch> sketches =
                random.nextBoolean()
                        ? Map.of()
                        : Map.of(
                                1,
                                new ColumnSketch(bytes(random, 40), 7),
                                3,
                                new ColumnSketch(new byte[0], 0));
        return new FileEntry(
                        id,
                        new TableId(1 + random.nextInt(4)),
                        FileKind.COLUMN,
                        random.nextInt(3),
                        "data/" + id + ".orc",
                        1 + random.nextInt(1000),
                        1 + random.nextInt(1000),
                        new Lsn(5),
                        new Lsn(9 + random.nextInt(100)),
                        Optional.empty(),
                        OptionalLong.empty(),
                        1,
                        min,
                        max,
                        partition,
                        Map.of(
                                1,
                                new ColumnStats(
                                        Optional.of(bytes(random, 2)),
                                        Optional.of(new byte[] {(byte) 0xff}),
                                        3,
                                        false)),
                        Optional.empty(),
                        Optional.empty())
                .withSketches(sketches);
    }

    private static byte[] bytes(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (random.nextInt(4) * 85);
        }
        return bytes;
    }

    private static Manifest manifest(SplittableRandom random, int files) {
        ManifestEdit edit = Manifest.empty(SHARD).edit().epoch(4);
        for (int i = 0; i < files; i++) {
            edit.addFile(file(random, "f" + i));
        }
        return edit.build();
    }

    private static void assertSame(Manifest found, Manifest expected) {
        assertThat(json(found)).isEqualTo(json(expected));
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
                assertSame(manifests(minChanges).loadLatest().orElseThrow(), manifest);
                assertSame(manifests.load(version), manifest);
                ManifestFilter some =
                        ManifestFilter.ofPartition(
                                new TableId(1 + random.nextInt(4)), bytes(random, 1));
                // A changed file may come behind one that the filter leaves out of the base
                assertThat(json(manifests(minChanges).find(some)))
                        .containsExactlyInAnyOrderElementsOf(
                                json(
                                        manifest.files().stream()
                                                .filter(some::matches)
                                                .map(file -> file.withSketches(Map.of()))
                                                .toList()));
                if (random.nextInt(6) == 0) {
                    manifests(minChanges).deleteOld();
                    manifests = manifests(minChanges); // another start
                    manifest = manifests.loadLatest().orElseThrow();
                }
                for (int kept = Math.max(1, version - 4); kept <= version; kept++) {
                    manifests(minChanges).load(kept); // nothing they need is gone
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
        ManifestStore manifests = manifests(ManifestStore.MIN_CHANGES);
        Manifest many = manifest(random, 2_000);
        manifests.create(many);
        assertThat(bases()).hasSize(3); // and its sketches, and their checksums
        Manifest more = many.edit().addFile(file(random, "new")).removeFile("f7").build();
        manifests.create(more);
        assertThat(store.size("manifest/3-1/00000000000000000002")).isLessThan(3_000);
        assertThat(bases()).hasSize(3);
        assertSame(manifests(1).loadLatest().orElseThrow(), more);
    }

    @Test
    void fewFilesNeedNoBase() throws IOException {
        ManifestStore manifests = manifests(ManifestStore.MIN_CHANGES);
        manifests.create(manifest(new SplittableRandom(1), 64));
        assertThat(bases()).isEmpty();
    }

    @Test
    void basesGoWithTheVersionsThatNameThem() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        ManifestStore manifests = manifests(1);
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
        assertSame(manifests(1).loadLatest().orElseThrow(), manifest);
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
            assertThat(history.stream().map(Manifest::files).map(TestManifestBases::json))
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
        manifests(1).create(manifest);
        for (String path : bases()) {
            store.delete(path);
        }
        assertThatThrownBy(() -> manifests(1).loadLatest())
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("manifest/3-1/base/");
    }

    @Test
    void aVersionWithoutBaseIsFollowedByNoOlderBase() throws IOException {
        SplittableRandom random = new SplittableRandom(6);
        ManifestStore manifests = manifests(50);
        Manifest manifest = manifest(random, 60);
        manifests.create(manifest); // with a base
        assertThat(bases()).hasSize(3);
        List<FileEntry> others = new ArrayList<>(manifest.files().subList(0, 40).reversed());
        manifest = new Manifest(2, 4, SHARD, others, List.of(), List.of(), List.of());
        manifests.create(manifest); // in an order that the base cannot say
        manifest = new Manifest(2, 4, SHARD, others.reversed(), List.of(), List.of(), List.of());
        for (int version = 3; version <= 12; version++) {
            manifest = manifest.edit().addFile(file(random, "n" + version)).build();
            manifests.create(manifest);
            manifests(50).deleteOld();
            assertSame(manifests(50).loadLatest().orElseThrow(), manifest);
        }
    }

    @Test
    void filtersFindWhatAWalkFinds() throws IOException {
        SplittableRandom random = new SplittableRandom(9);
        List<FileEntry> files = manifest(random, 3_000).files();
        ManifestBase base = BASES.write(store, "manifest/3-1/base/x", 1, files);
        assertThat(json(BASES.read(store, base))).isEqualTo(json(files));
        for (int i = 0; i < 200; i++) {
            ManifestFilter filter =
                    new ManifestFilter(
                            random.nextBoolean()
                                    ? Optional.empty()
                                    : Optional.of(new TableId(1 + random.nextInt(5))),
                            random.nextBoolean() ? Optional.empty() : Optional.of(bytes(random, 1)),
                            random.nextBoolean()
                                    ? OptionalInt.empty()
                                    : OptionalInt.of(random.nextInt(4)),
                            random.nextBoolean()
                                    ? Optional.empty()
                                    : Optional.of(bytes(random, 1 + random.nextInt(4))),
                            random.nextBoolean()
                                    ? Optional.empty()
                                    : Optional.of(bytes(random, 1 + random.nextInt(4))),
                            random.nextBoolean());
            List<FileEntry> expected =
                    files.stream()
                            .filter(filter::matches)
                            .map(file -> filter.sketches() ? file : file.withSketches(Map.of()))
                            .toList();
            assertThat(json(BASES.select(store, base, filter)))
                    .as("%s", filter)
                    .isEqualTo(json(expected));
        }
    }

    private static List<String> json(List<FileEntry> files) {
        return files.stream().map(TestManifestBases::json).toList();
    }

    private static String json(Object value) {
        try {
            return SchemaJson.mapper().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void damagedBytesAreNoticed() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        List<FileEntry> files = manifest(random, 200).files();
        String path = "manifest/3-1/base/x";
        ManifestBase base = BASES.write(store, path, 1, files);
        for (String object : BASES.paths(path)) {
            byte[] good = store.readFully(object);
            for (int i = 0; i < 100; i++) {
                byte[] bad = good.clone();
                bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
                store.put(object, bad);
                assertThatThrownBy(() -> BASES.read(store, base))
                        .isInstanceOfSatisfying(
                                SteleException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                        .hasMessageContaining(path);
            }
            store.put(object, good);
        }
        assertThat(BASES.read(store, base)).hasSize(200);
    }

    /** Stripes of any size, columns of any bounds: nothing that a walk finds is left out. */
    @Test
    void predicatesOnColumnsFindWhatAWalkFinds() throws IOException {
        SplittableRandom random = new SplittableRandom(10);
        long found = 0;
        long all = 0;
        for (int stripeRows : List.of(1, 7, 100, 5_000)) {
            List<FileEntry> files = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                files.add(bounded(file(random, "f" + i), random));
            }
            OrcManifestBases bases = OrcManifestBases.ofStripes(stripeRows);
            String path = "manifest/3-1/base/" + stripeRows;
            ManifestBase base = bases.write(store, path, 1, files);
            assertThat(json(bases.read(store, base))).isEqualTo(json(files));
            for (int i = 0; i < 100; i++) {
                ManifestFilter filter =
                        new ManifestFilter(
                                        Optional.of(new TableId(1 + random.nextInt(4))),
                                        random.nextInt(3) == 0
                                                ? Optional.of(bytes(random, 1))
                                                : Optional.empty(),
                                        OptionalInt.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        random.nextBoolean())
                                .where(predicate(random), 1 + random.nextInt(2));
                List<FileEntry> expected =
                        files.stream()
                                .filter(filter::matches)
                                .map(file -> filter.sketches() ? file : file.withSketches(Map.of()))
                                .toList();
                assertThat(json(bases.select(store, base, filter)))
                        .as("%s", filter)
                        .isEqualTo(json(expected));
                found += expected.size();
                all += files.size();
            }
        }
        assertThat(found).isBetween(all / 100, all / 3);
    }

    private static FileEntry bounded(FileEntry file, SplittableRandom random) {
        Map<Integer, ColumnStats> stats = new TreeMap<>(file.columnStats());
        for (int column = 2; column <= 4; column++) {
            if (random.nextInt(8) > 0) {
                byte[] low = bytes(random, 1 + random.nextInt(2));
                byte[] high = bytes(random, 1 + random.nextInt(2));
                boolean inOrder = Arrays.compareUnsigned(low, high) <= 0;
                boolean known = random.nextInt(6) > 0;
                stats.put(
                        column,
                        new ColumnStats(
                                Optional.of(inOrder ? low : high).filter(min -> known),
                                Optional.of(inOrder ? high : low).filter(max -> known),
                                random.nextInt(3) - 1L,
                                random.nextInt(6) == 0));
            }
        }
        return file.withColumnStats(stats);
    }

    private static ScanPredicate predicate(SplittableRandom random) {
        Map<Integer, ColumnDomain> domains = new TreeMap<>();
        for (int column = 2; column <= 5; column++) {
            if (random.nextInt(3) > 0) {
                continue;
            }
            List<ValueRange> ranges = new ArrayList<>();
            for (int at = 0; at < 250; at += 1 + random.nextInt(120)) {
                byte[] low = {(byte) at};
                byte[] high = {(byte) (at += random.nextInt(6))};
                switch (random.nextInt(12)) {
                    case 0 -> {
                        if (ranges.isEmpty()) {
                            ranges.add(
                                    random.nextBoolean()
                                            ? ValueRange.atMost(high)
                                            : ValueRange.lessThan(high));
                        }
                    }
                    case 1 -> {
                        ranges.add(
                                random.nextBoolean()
                                        ? ValueRange.atLeast(low)
                                        : ValueRange.greaterThan(low));
                        at = 250;
                    }
                    default ->
                            ranges.add(
                                    new ValueRange(
                                            Optional.of(low), true, Optional.of(high), true));
                }
            }
            domains.put(
                    column,
                    random.nextInt(10) == 0
                            ? ColumnDomain.notNull()
                            : new ColumnDomain(random.nextInt(6) == 0, ranges));
        }
        return new ScanPredicate(domains);
    }

    /**
     * Whatever changes, and wherever they are: sketches are those that were made with the files.
     */
    @Test
    void sketchesLeaveMemoryAndStayWhatTheyWere() throws IOException {
        SplittableRandom random = new SplittableRandom(12);
        Map<String, Map<Integer, ColumnSketch>> made = new HashMap<>();
        ManifestStore manifests = manifests(1);
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
                List<FileEntry> present = manifest.files();
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
                manifests = manifests(1); // another start
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

    private static FileEntry sketched(FileEntry file, SplittableRandom random) {
        Map<Integer, ColumnSketch> sketches = new TreeMap<>();
        for (int column = 1; column <= 2 + random.nextInt(2); column++) {
            SketchBuilder sketch = new SketchBuilder();
            for (int i = random.nextInt(50); i >= 0; i--) {
                sketch.addBytes(bytes(random, 3), 0, 3);
            }
            sketches.put(column, sketch.build());
        }
        return file.withSketches(sketches);
    }

    /** If a base is gone, another engine has the shard: it is to be noticed by a version. */
    @Test
    void sketchesOfALostBaseAreNone() throws IOException {
        SplittableRandom random = new SplittableRandom(13);
        ManifestEdit edit = Manifest.empty(SHARD).edit();
        for (int i = 0; i < 40; i++) {
            edit.addFile(sketched(file(random, "f" + i), random));
        }
        ManifestStore manifests = manifests(1);
        Manifest manifest = edit.build();
        manifests.create(manifest);
        FileSketches some = manifest.files().getFirst().sketches();
        assertThat(some.inMemory()).isEmpty();
        assertThat(manifests.sketches().read(some)).isNotEmpty();
        for (String path : bases()) {
            store.delete(path);
        }
        assertThat(manifests.sketches().read(some)).isEmpty();
        assertThat(manifests.create(manifest.edit().removeFile("f7").removeFile("f9").build()))
                .isTrue();
    }

    @Test
    void aPartitionIsFoundWithFourRequests() throws IOException {
        SplittableRandom random = new SplittableRandom(11);
        manifests(1).create(manifest(random, 3_000));
        List<String> requests = new ArrayList<>();
        ObjectStore counting =
                new ForwardingObjectStore(store) {
                    @Override
                    public void read(String path, long offset, byte[] buffer, int at, int length)
                            throws IOException {
                        requests.add(path);
                        super.read(path, offset, buffer, at, length);
                    }

                    @Override
                    public byte[] readFully(String path) throws IOException {
                        requests.add(path);
                        return super.readFully(path);
                    }

                    @Override
                    public long size(String path) throws IOException {
                        requests.add(path);
                        return super.size(path);
                    }

                    @Override
                    public List<ObjectEntry> list(String prefix) throws IOException {
                        requests.add(prefix);
                        return super.list(prefix);
                    }
                };
        ManifestFilter filter =
                new ManifestFilter(
                        Optional.of(new TableId(2)),
                        Optional.of(new byte[] {85}),
                        OptionalInt.of(1),
                        Optional.empty(),
                        Optional.empty(),
                        false);
        assertThat(new ManifestStore(counting, SHARD, OWNER, BASES).find(filter)).isNotEmpty();
        assertThat(requests).as("list, version, tail and stripes").hasSize(4);
    }

    @Test
    void goldenFile() throws IOException {
        SplittableRandom random = new SplittableRandom(43);
        List<FileEntry> files = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            files.add(bounded(file(random, "f" + i), random));
        }
        String path = "manifest/3-1/base/golden";
        ManifestBase base = OrcManifestBases.ofStripes(4).write(store, path, 1, files);
        Golden.check("manifest-base-2.orc", store.readFully(path));
        Golden.check("manifest-base-2.orc.sketches", store.readFully(base.sketchesPath()));
        store.put(path, Golden.load("manifest-base-2.orc"));
        store.put(base.sketchesPath(), Golden.load("manifest-base-2.orc.sketches"));
        assertThat(json(BASES.read(store, base))).isEqualTo(json(files));
    }

    /** Written by the first version that had bases. */
    @Test
    void goldenFileOfBefore() throws IOException {
        List<FileEntry> files = manifest(new SplittableRandom(42), 10).files();
        String path = "manifest/3-1/base/golden";
        byte[] golden = Golden.load("manifest-base-1.orc");
        try (ChecksummingWriter output = ChecksummingWriter.create(store, path)) {
            output.write(golden);
            output.commit();
        }
        ManifestBase base = new ManifestBase(1, path, golden.length, 10);
        assertThat(json(BASES.read(store, base))).isEqualTo(json(files));
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
