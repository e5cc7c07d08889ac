package io.stele.engine.manifest;

import static io.stele.engine.manifest.ManifestFiles.BASES;
import static io.stele.engine.manifest.ManifestFiles.OWNER;
import static io.stele.engine.manifest.ManifestFiles.SHARD;
import static io.stele.engine.manifest.ManifestFiles.bounded;
import static io.stele.engine.manifest.ManifestFiles.bytes;
import static io.stele.engine.manifest.ManifestFiles.file;
import static io.stele.engine.manifest.ManifestFiles.json;
import static io.stele.engine.manifest.ManifestFiles.manifest;
import static io.stele.engine.manifest.ManifestFiles.manifests;
import static io.stele.engine.manifest.ManifestFiles.predicate;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.manifest.orc.OrcManifestBaseFormat;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.testing.LongRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Files of bases by conditions: what is found is what a walk finds, with few requests. */
final class TestManifestConditions {
    /** More than a stripe of 100 has, and of 5,000 a part. */
    private static final int FILES = LongRun.count(300, 1_000);

    private final ObjectStore store = new InMemoryObjectStore();

    @Test
    void filtersFindWhatAWalkFinds() throws IOException {
        SplittableRandom random = new SplittableRandom(9);
        List<FileEntry> files = List.copyOf(manifest(random, LongRun.count(1_000, 3_000)).files());
        ManifestBase base = BASES.write(store, "manifest/3-1/base/x", 1, files);
        assertThat(json(BASES.read(store, base, false))).isEqualTo(json(files));
        for (int i = 0; i < LongRun.count(100, 200); i++) {
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

    /** Stripes of any size, columns of any bounds: nothing that a walk finds is left out. */
    @Test
    void predicatesOnColumnsFindWhatAWalkFinds() throws IOException {
        SplittableRandom random = new SplittableRandom(10);
        long found = 0;
        long all = 0;
        for (int stripeRows : List.of(1, 7, 100, 5_000)) {
            List<FileEntry> files = new ArrayList<>();
            for (int i = 0; i < FILES; i++) {
                files.add(bounded(file(random, "f" + i), random));
            }
            OrcManifestBaseFormat bases = OrcManifestBaseFormat.ofStripes(stripeRows);
            String path = "manifest/3-1/base/" + stripeRows;
            ManifestBase base = bases.write(store, path, 1, files);
            assertThat(json(bases.read(store, base, false))).isEqualTo(json(files));
            for (int i = 0; i < LongRun.count(50, 100); i++) {
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

    @Test
    void boundsOfColumnsLeaveStripesUnread() throws IOException {
        SplittableRandom random = new SplittableRandom(12);
        List<FileEntry> files = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            byte[] value = {(byte) (i >> 8), (byte) i};
            ColumnStats stats = new ColumnStats(Optional.of(value), Optional.of(value), 0, false);
            FileEntryDraft draft = new FileEntryDraft(file(random, "f" + i));
            draft.tableId = new TableId(7);
            draft.partition = Optional.empty();
            draft.level = 1;
            draft.minKey = Optional.of(value);
            draft.maxKey = Optional.of(value);
            draft.columnStats = Map.of(2, stats, 3, stats);
            files.add(draft.build().withSketches(Map.of()));
        }
        String path = "manifest/3-1/base/x";
        ManifestBase base = BASES.write(store, path, 1, files);
        long[] bytes = {0};
        ObjectStore counting =
                new ForwardingObjectStore(store) {
                    @Override
                    public void read(String path, long offset, byte[] buffer, int at, int length)
                            throws IOException {
                        bytes[0] += length;
                        super.read(path, offset, buffer, at, length);
                    }
                };
        byte[] wanted = {0x12, 0x34};
        ManifestFilter filter =
                new ManifestFilter(
                                Optional.of(new TableId(7)),
                                Optional.empty(),
                                OptionalInt.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                false)
                        .where(
                                new ScanPredicate(
                                        Map.of(3, ColumnDomain.of(ValueRange.equal(wanted)))),
                                1);
        assertThat(BASES.select(counting, base, filter))
                .extracting(FileEntry::fileId)
                .containsExactly("f" + 0x1234);
        assertThat(bytes[0]).isBetween(1L, base.sizeBytes() / 2);
        bytes[0] = 0;
        ManifestFilter keys =
                new ManifestFilter(
                        Optional.of(new TableId(7)),
                        Optional.empty(),
                        OptionalInt.empty(),
                        Optional.of(wanted),
                        Optional.of(wanted),
                        false);
        assertThat(BASES.select(counting, base, keys))
                .extracting(FileEntry::fileId)
                .containsExactly("f" + 0x1234);
        assertThat(bytes[0]).isBetween(1L, base.sizeBytes() / 2);
    }

    @Test
    void aPartitionIsFoundWithFourRequests() throws IOException {
        SplittableRandom random = new SplittableRandom(11);
        manifests(store, 1).create(manifest(random, 3_000));
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
                    public void forEach(String prefix, Consumer<ObjectEntry> action)
                            throws IOException {
                        requests.add(prefix);
                        super.forEach(prefix, action);
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
}
