package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.index.KeyIndexSummary;
import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.metadata.FileMetadataBytes;
import io.stele.engine.WorkerFiles.Checksums;
import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ForwardingObjectWriter;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects that column files consist of, those of earlier versions too. */
final class TestFileObjects {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withRetention(Duration.ofMillis(1))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1));

    private final List<String> written = new CopyOnWriteArrayList<>();
    private final Map<Long, String> expected = new TreeMap<>();
    private SimulatedNode node;
    private TestTable table;
    private ShardId shard;

    /** Notes the objects that become visible. */
    private static final class NotedWrites extends ForwardingObjectStore {
        private final List<String> written;

        NotedWrites(ObjectStore store, List<String> written) {
            super(store);
            this.written = written;
        }

        @Override
        public void put(String path, byte[] content) throws IOException {
            written.add(path);
            super.put(path, content);
        }

        @Override
        public ObjectWriter create(String path) throws IOException {
            return new ForwardingObjectWriter(super.create(path)) {
                @Override
                public void commit() throws IOException {
                    written.add(path);
                    super.commit();
                }
            };
        }
    }

    @BeforeEach
    void start() throws IOException {
        node = SimulatedNode.start(OPTIONS, 3, store -> new NotedWrites(store, written));
        table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        shard = table.schema().shard(0);
    }

    private void put(long firstId, int count, String name) {
        for (long id = firstId; id < firstId + count; id++) {
            node.await(table.upsert(node.engine(), id, name, id));
            expected.put(id, name + ":" + id);
        }
    }

    private List<String> takeWritten() {
        List<String> taken =
                written.stream().filter(path -> path.startsWith("data/")).sorted().toList();
        written.clear();
        return taken;
    }

    private List<FileEntry> files() {
        return node.engine().shard(shard).table(table.id()).view().columnFiles().stream()
                .map(file -> file.entry())
                .toList();
    }

    private List<String> stored() throws IOException {
        return node.store().list("data/").stream().map(ObjectEntry::path).sorted().toList();
    }

    private void assertRows() throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(expected);
        assertThat(table.planned(node, snapshot)).isEqualTo(expected);
        node.engine().closeSnapshot(snapshot.id()); // or its files would stay
        assertThat(node.uncaught()).isEmpty();
    }

    private WrittenFile worker(String fileId, Checksums checksums) throws IOException {
        return worker(fileId, checksums, new Row(1_000, "worker", 1), new Row(1_001, "worker", 2));
    }

    private WrittenFile worker(String fileId, Checksums checksums, Row... rows) throws IOException {
        return WorkerFiles.write(node.objects(), table, shard, fileId, List.of(rows), checksums);
    }

    private void commit(WrittenFile file) {
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        node.await(node.commit(transaction, List.of(file)));
    }

    /** A file costs two PUTs. */
    @Test
    void flushesAndCompactionsWriteTwoObjectsAFile() throws IOException {
        put(0, 50, "first");
        takeWritten();
        node.await(node.engine().flush(table.id()));
        assertThat(takeWritten()).isEqualTo(paths(files())).hasSize(2);
        put(25, 50, "second");
        node.await(node.engine().flush(table.id()));
        assertThat(takeWritten()).filteredOn(path -> !path.contains(".dv-")).hasSize(2);
        assertRows();
        node.await(node.engine().compact(table.id()));
        List<String> merged =
                takeWritten().stream().filter(path -> !path.contains(".dv-")).toList();
        assertThat(merged).hasSizeBetween(2, 4).isSubsetOf(paths(files()));
        assertThat(merged)
                .allMatch(path -> path.endsWith(".orc") || path.endsWith(".idx"))
                .hasSize(2 * (int) merged.stream().filter(path -> path.endsWith(".orc")).count());
        for (FileEntry file : files()) {
            assertThat(file.checksumBlockBytes()).isEmpty();
            assertThat(file.indexedMetadata()).isPresent();
        }
        assertRows();
        node.restart();
        assertRows();
    }

    /** What a flush of a table without a key writes has row ids in its index. */
    @Test
    void soDoFlushesOfTablesWithoutAKey() throws IOException {
        TestTable appends = TestTable.create(node.engine(), "a", Orientation.COLUMN, false, 1);
        WriteBatchBuilder batch = appends.batch();
        batch.append(appends.row(1, "appended", 1));
        node.await(appends.write(node.engine(), appends.schema().shard(0), batch));
        takeWritten();
        node.await(node.engine().flush(appends.id()));
        assertThat(takeWritten()).hasSize(2);
        node.restart();
        assertThat(appends.planned(node, node.openSnapshot())).containsEntry(1L, "appended:1");
    }

    private static List<String> paths(List<FileEntry> files) {
        return files.stream().flatMap(file -> file.immutablePaths().stream()).sorted().toList();
    }

    /** Of earlier versions as well: each file is read, compacted into one of now, and deleted. */
    @ParameterizedTest
    @EnumSource(Checksums.class)
    void filesAreReadWhereverTheirChecksumsAre(Checksums checksums) throws IOException {
        put(0, 20, "row");
        node.await(node.engine().flush(table.id()));
        WrittenFile file = worker("w", checksums);
        int objects = checksums == Checksums.BESIDE ? 3 : 2;
        assertThat(file.paths()).hasSize(objects);
        commit(file);
        expected.put(1_000L, "worker:1");
        expected.put(1_001L, "worker:2");
        assertRows();
        node.restart();
        assertRows();
        assertThat(table.get(node.engine(), Optional.empty(), 1_001)).contains("worker:2");
        assertThat(stored()).containsAll(file.paths());
        FileEntry entry =
                files().stream().filter(one -> one.fileId().equals("w")).findFirst().orElseThrow();
        assertThat(entry.immutablePaths()).containsExactlyInAnyOrderElementsOf(file.paths());

        put(1_000, 1, "over it");
        node.await(node.engine().flush(table.id()));
        node.await(node.engine().compact(table.id()));
        for (int tick = 0; tick < 5; tick++) {
            node.tick(60_000);
        }
        assertRows();
        assertThat(files()).noneMatch(one -> one.fileId().equals("w"));
        assertThat(stored())
                .filteredOn(path -> !path.contains(".dv-"))
                .isEqualTo(paths(files()))
                .hasSize(2 * files().size());
    }

    @ParameterizedTest
    @EnumSource(value = Checksums.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void damagedValuesAreFoundWhereverTheirChecksumsAre(Checksums checksums) throws IOException {
        WrittenFile file = worker("w", checksums);
        commit(file);
        node.restart();
        damage(file.path(), 10);
        assertRefusedFor(file.path());
    }

    /** No request goes to checksums beside a file that has none. */
    @Test
    void plansSayWhereChecksumsAre() throws IOException {
        commit(worker("beside", Checksums.BESIDE, new Row(1, "a", 1)));
        commit(worker("indexed", Checksums.IN_KEY_INDEX, new Row(2, "b", 2)));
        List<FileScan> scans =
                node
                        .engine()
                        .plan(node.openSnapshot(), table.id(), ScanPredicate.ALL)
                        .shards()
                        .stream()
                        .flatMap(scan -> scan.files().stream())
                        .toList();
        assertThat(scans).hasSize(2);
        for (FileScan scan : scans) {
            boolean isBeside = scan.path().contains("beside");
            assertThat(scan.checksumBlockBytes().isPresent()).isEqualTo(isBeside);
            assertThat(scan.indexedMetadata().isPresent()).isEqualTo(!isBeside);
        }
    }

    /** As of any part of a file: those who read its rows are told, and nothing else. */
    @Test
    void damagedMetadataDoNotStopAStart() throws IOException {
        put(0, 20, "row");
        node.await(node.engine().flush(table.id()));
        FileEntry file = files().getFirst();
        String index = file.keyIndex().orElseThrow().path();
        byte[] good = node.store().readFully(index);
        damage(index, good.length - file.indexedMetadata().orElseThrow().metadataBytes() + 20);
        node.restart();
        node.tick(0); // opens the files
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(node.engine().status().failedShards()).isEmpty();
        assertThat(node.uncaught())
                .isNotEmpty()
                .allSatisfy(e -> assertThat(e).hasStackTraceContaining(index));
        node.uncaught().clear();
        assertRefusedFor(index);
        node.await(table.upsert(node.engine(), 7, "later", 7)); // whose old row the index finds
        node.uncaught().clear();
        node.store().put(index, good);
        node.restart();
        expected.put(7L, "later:7");
        assertRows();
    }

    private void assertRefusedFor(String object) {
        assertThatThrownBy(() -> table.planned(node, node.openSnapshot()))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining(object)
                .hasMessageContaining("offset");
        assertThatThrownBy(() -> table.snapshot(node.engine(), node.openSnapshot()))
                .hasStackTraceContaining(object);
    }

    private void damage(String path, int position) throws IOException {
        byte[] bytes = node.store().readFully(path);
        bytes[position] ^= 1;
        node.store().put(path, bytes);
    }

    /** After the decision it is too late to find out that the rows cannot be read. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "damaged",
                "missing",
                "of another file",
                "cut",
                "too many",
                "more than there are",
                "none"
            })
    void aCommitOfAFileWithoutItsMetadataIsRefused(String what) throws IOException {
        put(1, 1, "kept");
        WrittenFile file = worker("w", Checksums.IN_KEY_INDEX);
        String index = file.keyIndexPath().orElseThrow();
        int length = file.metadataBytes().getAsInt();
        WrittenFile asked = file;
        switch (what) {
            case "damaged" -> damage(index, (int) file.keyIndexSizeBytes() - length + length / 2);
            case "missing" -> asked = withIndex(file, Optional.empty());
            case "of another file" -> {
                WrittenFile other = worker("o", Checksums.IN_KEY_INDEX, new Row(5, "x", 5));
                byte[] encoded =
                        new FileMetadata(
                                        KeyIndexReader.readMetadata(
                                                        node.objects(),
                                                        other.path(),
                                                        other.sizeBytes(),
                                                        new IndexedMetadata(
                                                                other.keyIndexSizeBytes(),
                                                                other.metadataBytes().getAsInt()))
                                                .checksums(),
                                        new FileMetadataBytes())
                                .encodeStored();
                asked = withIndex(file, Optional.of(encoded));
            }
            case "cut" -> {
                byte[] bytes = node.store().readFully(index);
                node.store().put(index, Arrays.copyOf(bytes, bytes.length - 1));
            }
            case "too many" -> asked = with(file, (int) file.keyIndexSizeBytes() + 1);
            case "more than there are" -> asked = with(file, (int) file.keyIndexSizeBytes());
            default -> asked = with(file, 0);
        }
        WrittenFile refused = asked;
        assertThatThrownBy(() -> commit(refused)).isInstanceOf(SteleException.class);
        assertThat(files()).isEmpty();
        assertRows();
    }

    @Test
    void aKeyIndexWithMetadataHasTheNameOfItsFile() throws IOException {
        WrittenFile file = worker("w", Checksums.IN_KEY_INDEX);
        WrittenFile other = worker("other", Checksums.NONE);
        WrittenFile asked = ChangedFile.of(file).keyIndexPath(other.keyIndexPath()).build();
        Refusals.assertRefused(ErrorCode.INVALID_ARGUMENT, () -> commit(asked))
                .hasMessageContaining(file.keyIndexPath().orElseThrow());
    }

    /** Another index in the place of a file's. */
    private WrittenFile withIndex(WrittenFile file, Optional<byte[]> metadata) throws IOException {
        String path = file.keyIndexPath().orElseThrow();
        node.store().delete(path);
        KeyIndexSummary summary;
        try (KeyIndexWriter keys =
                KeyIndexWriter.byRank(node.objects(), path, BlockFileOptions.KEY_INDEX)) {
            keys.add(table.key(1_000));
            keys.add(table.key(1_001));
            summary = keys.finish(metadata);
        }
        return ChangedFile.of(file)
                .keyIndexSizeBytes(summary.sizeBytes())
                .metadataBytes(summary.metadataBytes().orElse(50))
                .build();
    }

    private static WrittenFile with(WrittenFile file, int metadataBytes) {
        return ChangedFile.of(file).metadataBytes(metadataBytes).build();
    }
}
