package io.stele.engine.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.manifest.orc.OrcManifestBaseFormat;
import io.stele.engine.wal.LogId;
import io.stele.engine.wal.LogMark;
import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.testing.Golden;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class TestManifestStore {
    private static final ShardId SHARD = new ShardId(3, 1);
    private static final TableId TABLE = new TableId(7);
    private static final UUID OWNER = new UUID(1, 2);

    private final ObjectStore store = new InMemoryObjectStore();
    private final ManifestStore manifests =
            new ManifestStore(store, SHARD, OWNER, OrcManifestBaseFormat.INSTANCE);

    @Test
    void emptyShardHasNoManifest() throws IOException {
        assertThat(manifests.loadLatest()).isEmpty();
        assertThat(Manifest.empty(SHARD).flushedLsn(TABLE)).isEqualTo(Lsn.MIN);
    }

    @Test
    void versionsFollowOneAnother() throws IOException {
        Manifest first =
                Manifest.empty(SHARD)
                        .edit()
                        .epoch(4)
                        .addFile(columnFile("a"))
                        .progress(TABLE, new Lsn(50), 9)
                        .build();
        assertThat(manifests.create(first)).isTrue();
        assertSame(manifests.loadLatest().orElseThrow(), first);
        Manifest second =
                first.edit()
                        .removeFile("a")
                        .addFile(sstFile("b"))
                        .progress(TABLE, new Lsn(60), 9)
                        .build();
        assertThat(second.version()).isEqualTo(2);
        assertThat(second.epoch()).isEqualTo(4);
        assertThat(manifests.create(second)).isTrue();
        assertSame(manifests.loadLatest().orElseThrow(), second);
        assertSame(manifests.load(1), first);
    }

    /** Only as long as one is there. */
    @Test
    void ingestedRowsNeedAReleaseThatKnowsTheirLsn() throws IOException {
        Manifest manifest = Manifest.empty(SHARD).edit().addFile(sstFile("a")).build();
        assertThat(manifests.create(manifest)).isTrue();
        assertThat(formatOf(1)).isEqualTo(7);
        FileEntry ingested = sstFile("b").withIngest(new Lsn(99), OptionalLong.empty());
        manifest = manifest.edit().addFile(ingested).addFile(sstFile("c")).build();
        assertThat(manifests.create(manifest)).isTrue();
        assertThat(formatOf(2)).isEqualTo(8);
        FileEntry found = manifests.loadLatest().orElseThrow().edit().file("b").orElseThrow();
        assertThat(found.ingestLsn()).contains(new Lsn(99));
        assertThat(found.isIngestedRows()).isTrue();
        manifest = manifest.edit().removeFile("b").build();
        assertThat(manifests.create(manifest)).isTrue();
        assertThat(formatOf(3)).isEqualTo(7);
    }

    @Test
    void basesNeedAReleaseThatKnowsTheirEntries() throws IOException {
        ManifestStore based =
                new ManifestStore(store, SHARD, OWNER, OrcManifestBaseFormat.INSTANCE, 1);
        Manifest manifest = Manifest.empty(SHARD).edit().addFile(sstFile("a")).build();
        assertThat(based.create(manifest)).isTrue();
        assertThat(formatOf(1)).isEqualTo(7);
        FileEntry ingested = sstFile("b").withIngest(new Lsn(99), OptionalLong.empty());
        manifest = manifest.edit().addFile(ingested).addFile(sstFile("c")).build();
        assertThat(based.create(manifest)).isTrue();
        manifest = manifest.edit().build();
        assertThat(based.create(manifest)).isTrue();
        assertThat(formatOf(3)).isEqualTo(9);
        FileEntry found = manifests.loadLatest().orElseThrow().edit().file("b").orElseThrow();
        assertThat(found.ingestLsn()).contains(new Lsn(99));
        assertThat(found.isIngestedRows()).isTrue();
    }

    private int formatOf(long version) throws IOException {
        byte[] content = store.readFully("manifest/3-1/%020d".formatted(version));
        return ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getInt(8);
    }

    @Test
    void oneOwnerWinsAVersion() throws IOException {
        Manifest mine = Manifest.empty(SHARD).edit().addFile(columnFile("a")).build();
        Manifest theirs = Manifest.empty(SHARD).edit().addFile(columnFile("a")).build();
        assertThat(
                        new ManifestStore(
                                        store,
                                        SHARD,
                                        new UUID(8, 8),
                                        OrcManifestBaseFormat.INSTANCE)
                                .create(theirs))
                .isTrue();
        assertThat(manifests.create(mine)).as("a version that another owner has").isFalse();
    }

    @Test
    void oldVersionsAreDeletedButTheLastFew() throws IOException {
        Manifest manifest = Manifest.empty(SHARD);
        for (int i = 0; i < 12; i++) {
            manifest = manifest.edit().build();
            manifests.create(manifest);
        }
        store.put("manifest/3-1/notes.txt", new byte[1]);
        manifests.deleteOld();
        assertThat(store.list("manifest/3-1/").stream().map(ObjectEntry::path))
                .containsExactly(
                        "manifest/3-1/00000000000000000008",
                        "manifest/3-1/00000000000000000009",
                        "manifest/3-1/00000000000000000010",
                        "manifest/3-1/00000000000000000011",
                        "manifest/3-1/00000000000000000012",
                        "manifest/3-1/notes.txt");
        assertThat(manifests.loadLatest().orElseThrow().version()).isEqualTo(12);
    }

    @Test
    void contradictionsAreRefused() {
        Manifest manifest =
                Manifest.empty(SHARD)
                        .edit()
                        .epoch(3)
                        .addFile(columnFile("a"))
                        .progress(TABLE, new Lsn(50), 9)
                        .build();
        assertThatThrownBy(() -> manifest.edit().addFile(columnFile("a")))
                .hasMessageContaining("a which is there");
        assertThatThrownBy(() -> manifest.edit().removeFile("z")).hasMessageContaining("found z");
        assertThatThrownBy(() -> manifest.edit().replaceFile(columnFile("z")))
                .hasMessageContaining("found z");
        assertThatThrownBy(() -> manifest.edit().epoch(2)).hasMessageContaining("epoch >= 3");
        assertThatThrownBy(() -> manifest.edit().progress(TABLE, new Lsn(49), 9))
                .hasMessageContaining("LSN 49");
        assertThatThrownBy(() -> manifest.edit().progress(TABLE, new Lsn(51), 8))
                .hasMessageContaining("row id 8");
        UUID writer = new UUID(1, 1);
        assertThatThrownBy(
                        () ->
                                manifest.edit()
                                        .writers(
                                                List.of(
                                                        new WriterProgress(writer, 1, List.of()),
                                                        new WriterProgress(writer, 2, List.of())))
                                        .build())
                .hasMessageContaining("each writer once");
        assertThat(manifest.edit().removeTable(TABLE).build().files()).isEmpty();
    }

    @Test
    void manifestOfAnotherPlaceIsRefused() throws IOException {
        manifests.create(full());
        byte[] bytes = store.readFully("manifest/3-1/00000000000000000001");
        store.put("manifest/3-1/00000000000000000002", bytes);
        assertThatThrownBy(manifests::loadLatest)
                .hasMessageContaining("Expected manifest version 2, found 1")
                .hasMessageContaining("00000000000000000002");
        store.put("manifest/3-2/00000000000000000001", bytes);
        assertThatThrownBy(
                        new ManifestStore(
                                        store,
                                        new ShardId(3, 2),
                                        OWNER,
                                        OrcManifestBaseFormat.INSTANCE)
                                ::loadLatest)
                .hasMessageContaining(
                        "Expected version 1 of shard 3-2, found version 1 of shard 3-1");
    }

    @Test
    void everyDamagedByteIsNoticed() throws Exception {
        manifests.create(full());
        ByteFlips.everyFlipIsRefused(
                store,
                "manifest/3-1/00000000000000000001",
                path -> assertSame(manifests.load(1), full()));
    }

    @Test
    void goldenFile() throws IOException {
        RangeTombstone end =
                new RangeTombstone(
                        new Lsn(495),
                        new ScanPredicate(
                                Map.of(1, ColumnDomain.of(ValueRange.equal(new byte[] {8})))));
        RangeTombstone replayed = new RangeTombstone(new Lsn(501), ScanPredicate.ALL);
        Manifest indexed =
                full().edit()
                        .addFile(indexFile("c"))
                        .tombstones(TABLE, List.of(end, replayed))
                        .log(new LogMark(new LogId(0x8a7b6c5d), 4711))
                        .build();
        assertThat(indexed.tombstones(TABLE)).containsExactly(end);
        manifests.create(full());
        manifests.create(indexed);
        Golden.check("manifest-7", store.readFully("manifest/3-1/00000000000000000002"));
        assertSame(manifests.loadLatest().orElseThrow(), indexed);
        assertThat(manifests.loadLatest().orElseThrow().edit().file("c").orElseThrow().indexId())
                .hasValue(9);
    }

    @Test
    void whatBecameOfBatchesIsKept() throws IOException {
        Manifest manifest =
                Manifest.empty(SHARD).edit().epoch(1).writers(List.of(writer(), other())).build();
        assertThat(manifests.create(manifest)).isTrue();
        assertThat(manifests.loadLatest().orElseThrow()).isEqualTo(manifest);
    }

    @Test
    void writersOfAnObjectAreReadUntilNoVersionNamesIt() throws IOException {
        WritersObject first = manifests.writeWriters(1, 4, List.of(writer(), other()));
        Manifest manifest = Manifest.empty(SHARD).edit().epoch(4).writersObject(first).build();
        assertThat(manifests.create(manifest)).isTrue();
        Manifest loaded = manifests.loadLatest().orElseThrow();
        assertThat(loaded).isEqualTo(manifest);
        assertThat(manifests.loadWriters(loaded.writersObject().orElseThrow()))
                .containsExactly(writer(), other());

        WritersObject second = manifests.writeWriters(2, 4, List.of(other()));
        for (int i = 0; i < 5; i++) {
            manifest = manifest.edit().writersObject(second).build();
            assertThat(manifests.create(manifest)).isTrue();
            manifests.deleteOld();
        }
        assertThatThrownBy(() -> manifests.loadWriters(first))
                .isInstanceOf(java.nio.file.NoSuchFileException.class);
        assertThat(manifests.loadWriters(second)).containsExactly(other());
    }

    @Test
    void everyDamagedByteOfWritersIsNoticed() throws Exception {
        WritersObject object = manifests.writeWriters(1, 4, List.of(writer(), other()));
        ByteFlips.everyFlipIsRefused(
                store,
                object.path(),
                path ->
                        assertThat(manifests.loadWriters(object))
                                .containsExactly(writer(), other()));
        Golden.check("writers-1", store.readFully(object.path()));
    }

    private static WriterProgress writer() {
        return new WriterProgress(
                new UUID(5, 6),
                70,
                List.of(
                        DecidedBatch.refused(71, new Lsn(440), ErrorCode.NULL_KEY, "no name"),
                        DecidedBatch.applied(72, new Lsn(450), 0),
                        DecidedBatch.applied(90, new Lsn(449), 1000)));
    }

    private static WriterProgress other() {
        return new WriterProgress(
                new UUID(7, 8),
                Long.MIN_VALUE,
                List.of(DecidedBatch.applied(Long.MIN_VALUE, Lsn.MAX, Integer.MAX_VALUE)));
    }

    @Test
    void olderVersionsAreRead() throws IOException {
        store.put("manifest/3-1/00000000000000000001", Golden.load("manifest-1"));
        Manifest first = manifests.loadLatest().orElseThrow();
        assertThat(first.historyLsn(TABLE)).isEqualTo(Lsn.MIN);
        assertSame(first.edit().history(TABLE, new Lsn(444)).build(), full().edit().build());
        store.put("manifest/3-1/00000000000000000002", Golden.load("manifest-2"));
        Manifest second = manifests.loadLatest().orElseThrow();
        assertThat(second.historyLsn(TABLE)).isEqualTo(Lsn.MIN);
        assertThat(second.edit().file("c").orElseThrow().indexId()).hasValue(9);
        store.put("manifest/3-1/00000000000000000002", Golden.load("manifest-3"));
        Manifest third = manifests.loadLatest().orElseThrow();
        assertThat(third.historyLsn(TABLE)).isEqualTo(new Lsn(444));
        assertThat(third.tombstones(TABLE)).isEmpty();
        assertThat(third.edit().file("c").orElseThrow().endsLsn()).isEmpty();
        store.put("manifest/3-1/00000000000000000002", Golden.load("manifest-4"));
        assertThat(manifests.loadLatest().orElseThrow().tombstones(TABLE)).hasSize(1);
        store.put("manifest/3-1/00000000000000000002", Golden.load("manifest-5"));
        assertThat(manifests.loadLatest().orElseThrow().writers()).isEqualTo(full().writers());
        store.put("manifest/3-1/00000000000000000002", Golden.load("manifest-6"));
        assertThat(manifests.loadLatest().orElseThrow().log()).isEmpty();
    }

    @Test
    void historyNeverComesBack() {
        Manifest manifest = full();
        assertThat(manifest.edit().history(TABLE, new Lsn(443)).build().historyLsn(TABLE))
                .isEqualTo(new Lsn(444));
        assertThat(manifest.edit().progress(TABLE, new Lsn(600), 2000).build().historyLsn(TABLE))
                .isEqualTo(new Lsn(444));
    }

    private static Manifest full() {
        return Manifest.empty(SHARD)
                .edit()
                .epoch(2)
                .addFile(columnFile("a"))
                .addFile(sstFile("b"))
                .progress(TABLE, new Lsn(500), 1234)
                .history(TABLE, new Lsn(444))
                .writers(
                        List.of(
                                new WriterProgress(
                                        new UUID(5, 6),
                                        77,
                                        List.of(DecidedBatch.applied(77, new Lsn(450), 0)))))
                .prepared(
                        List.of(new PreparedTransaction("tx1", new Lsn(440), new byte[] {9, 8, 7})))
                .build();
    }

    private static FileEntry columnFile(String fileId) {
        return new FileEntry(
                fileId,
                TABLE,
                FileKind.COLUMN,
                1,
                "data/7/3-1/" + fileId + ".orc",
                4096,
                100,
                new Lsn(10),
                new Lsn(20),
                Optional.of(new Lsn(20)),
                OptionalLong.of(1000),
                3,
                Optional.of(new byte[] {1}),
                Optional.of(new byte[] {(byte) 0xff}),
                Optional.of(new byte[] {4, 5}),
                Map.of(
                        1,
                        new ColumnStats(
                                Optional.of(new byte[] {0}), Optional.of(new byte[] {9}), 0, false),
                        2,
                        ColumnStats.UNKNOWN),
                Optional.of(new KeyIndexFile("data/7/3-1/" + fileId + ".idx", 512)),
                Optional.of(
                        new DeletionVectorFile(
                                "data/7/3-1/" + fileId + ".dv-1", 200, 12, new Lsn(400))));
    }

    private static FileEntry indexFile(String fileId) {
        FileEntry row = sstFile(fileId);
        return row.withIndex(OptionalInt.of(9));
    }

    private static FileEntry sstFile(String fileId) {
        return new FileEntry(
                fileId,
                TABLE,
                FileKind.ROW,
                0,
                "data/7/3-1/" + fileId + ".row",
                99,
                1,
                new Lsn(10),
                new Lsn(10),
                Optional.empty(),
                OptionalLong.empty(),
                3,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }

    private static void assertSame(Manifest found, Manifest expected) {
        // Records with arrays: compare what they hold, not which arrays they are.
        assertThat(found).usingRecursiveComparison().isEqualTo(expected);
    }
}
