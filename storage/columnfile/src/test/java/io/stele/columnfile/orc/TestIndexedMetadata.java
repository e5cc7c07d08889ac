package io.stele.columnfile.orc;

import static io.stele.columnfile.orc.ColumnFileFixture.randomRows;
import static io.stele.columnfile.orc.ColumnFileFixture.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.index.KeyIndexSummary;
import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.metadata.FileMetadataBytes;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Column files of which the key index has the metadata, and no other object the checksums. */
final class TestIndexedMetadata {
    private static final TableSchema TABLE = table(List.of("bigint", "varchar", "double"), true);
    private static final int ROWS = 30_000;

    private final NotedReads store = new NotedReads();
    private final List<byte[]> rows = randomRows(TABLE, ROWS, 3);
    private final List<Throwable> uncaught = new ArrayList<>();
    private ColumnFileFixture.Written written;

    /** Notes what is read. Confined to one thread. */
    private static final class NotedReads extends ForwardingObjectStore {
        private final List<String> reads = new ArrayList<>();

        NotedReads() {
            super(new InMemoryObjectStore());
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            reads.add(path);
            super.read(path, offset, buffer, bufferOffset, length);
        }
    }

    @BeforeEach
    void write() throws IOException {
        written = ColumnFileFixture.written(store, TABLE, rows, ColumnFileOptions.DEFAULT);
        store.delete(WrittenFile.checksumsPath(path()));
    }

    private String path() {
        return written.entry().path();
    }

    private String index() {
        return WrittenFile.keyIndexPath(path());
    }

    /** Writes a key index of as many keys as there are rows. */
    private KeyIndexSummary writeIndex(Optional<byte[]> metadata) throws IOException {
        store.delete(index());
        try (KeyIndexWriter writer =
                KeyIndexWriter.byRank(store, index(), BlockFileOptions.KEY_INDEX)) {
            for (int row = 0; row < ROWS; row++) {
                writer.add(ByteBuffer.allocate(8).putLong(row * 7L).array());
            }
            return writer.finish(metadata);
        }
    }

    private TestingColumnFile file() throws IOException {
        return file(written.end().storedMetadata());
    }

    private TestingColumnFile file(byte[] metadata) throws IOException {
        KeyIndexSummary summary = writeIndex(Optional.of(metadata));
        return written.entry()
                .withIndexedMetadata(
                        new IndexedMetadata(
                                summary.sizeBytes(), summary.metadataBytes().getAsInt()));
    }

    private byte[] checksumsAlone() {
        return new FileMetadata(written.end().checksums(), new FileMetadataBytes()).encodeStored();
    }

    private ObjectStore far() {
        return new FarObjectStore(store, Runnable::run, () -> 0);
    }

    private ColumnFileReaders readers() {
        return new ColumnFileReaders("footers", 8 << 20, () -> 0, uncaught::add);
    }

    private static List<byte[]> rows(ColumnFileReader reader) throws IOException {
        List<byte[]> found = new ArrayList<>();
        try (ColumnFileCursor cursor = reader.cursor()) {
            while (cursor.advance()) {
                found.add(cursor.row().toByteArray());
            }
        }
        return found;
    }

    @Test
    void oneRequestOpensAFile() throws IOException {
        TestingColumnFile file = file();
        for (ObjectStore from : List.of(store, far())) {
            store.reads.clear();
            Map<Integer, StripeMetadata> stripes = new HashMap<>();
            ColumnFileReader reader =
                    readers().open(from, file, TABLE.columns(), Optional::empty, stripes);
            assertThat(store.reads).containsExactly(index());
            assertThat(stripes).isNotEmpty();
            assertThat(rows(reader)).containsExactlyElementsOf(rows);
            store.reads.clear();
            assertThat(rows(ColumnFileReader.open(from, file, TABLE.columns())))
                    .containsExactlyElementsOf(rows);
            assertThat(store.reads.getFirst()).isEqualTo(index());
            assertThat(store.reads.subList(1, store.reads.size())).containsOnly(path());
        }
        assertThat(uncaught).isEmpty();
    }

    /** What the place says is how much to read first; the index says where the metadata are. */
    @Test
    void metadataAreFoundWhateverWasReadFirst() throws IOException {
        TestingColumnFile file = file();
        IndexedMetadata place = file.indexedMetadata().orElseThrow();
        byte[] checksums = written.end().checksums();
        for (int bytes :
                new int[] {
                    1,
                    100,
                    place.metadataBytes() - 1,
                    place.metadataBytes(),
                    place.metadataBytes() + 1,
                    (int) place.keyIndexBytes()
                }) {
            store.reads.clear();
            FileMetadata found =
                    KeyIndexReader.readMetadata(
                            store,
                            path(),
                            file.sizeBytes(),
                            new IndexedMetadata(place.keyIndexBytes(), bytes));
            assertThat(found.checksums()).isEqualTo(checksums);
            assertThat(store.reads)
                    .as("requests with %s of %s bytes", bytes, place.metadataBytes())
                    .hasSize(bytes >= place.metadataBytes() ? 1 : bytes < 100 ? 3 : 2);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void damagedMetadataAreToldAndNeverPassedOver(boolean isFar) throws Exception {
        TestingColumnFile file = file();
        int length = file.indexedMetadata().orElseThrow().metadataBytes();
        byte[] good = store.readFully(index());
        int unnoticed = 0;
        for (int at = good.length - length; at < good.length; at++) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            store.put(index(), bad);
            if (isTopOfKeys(file)) {
                unnoticed++; // between the metadata and the footer, for lookups alone
            } else {
                assertRefused(() -> ColumnFileReader.open(isFar ? far() : store, file, columns()));
            }
        }
        assertThat(unnoticed).isLessThan(length / 4);
        for (int bytes : new int[] {0, 10, good.length / 2, good.length - 1}) {
            store.put(index(), Arrays.copyOf(good, bytes));
            assertRefused(() -> ColumnFileReader.open(isFar ? far() : store, file, columns()));
        }
        store.put(index(), good);
        assertThat(rows(ColumnFileReader.open(isFar ? far() : store, file, columns())))
                .hasSize(ROWS);
    }

    /** Whether the damage is neither in the metadata nor in what they are found by. */
    private boolean isTopOfKeys(TestingColumnFile file) throws IOException {
        try {
            KeyIndexReader.readMetadata(
                    store, path(), file.sizeBytes(), file.indexedMetadata().orElseThrow());
        } catch (SteleException damaged) {
            return false;
        }
        assertThatThrownBy(
                        () ->
                                KeyIndexReader.open(
                                        store,
                                        index(),
                                        file.indexedMetadata().orElseThrow().keyIndexBytes(),
                                        new BlockCache("keys", 1 << 20, () -> 0)))
                .isInstanceOf(SteleException.class);
        return true;
    }

    private static List<ColumnSchema> columns() {
        return TABLE.columns();
    }

    private void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining(index())
                .hasMessageContaining("xpected")
                .hasMessageContaining("found")
                .hasMessageContaining("offset");
    }

    @Test
    void anIndexWithoutThemOrWithThoseOfAnotherFileIsRefused() throws IOException {
        KeyIndexSummary none = writeIndex(Optional.empty());
        assertThat(none.metadataBytes()).isEmpty();
        TestingColumnFile without =
                written.entry().withIndexedMetadata(new IndexedMetadata(none.sizeBytes(), 100));
        assertRefused(() -> ColumnFileReader.open(store, without, columns()));

        ColumnFileFixture.Written other =
                ColumnFileFixture.written(
                        store, TABLE, randomRows(TABLE, 10, 4), ColumnFileOptions.DEFAULT);
        for (byte[] metadata :
                List.of(
                        other.end().storedMetadata(),
                        new FileMetadata(other.end().checksums(), new FileMetadataBytes())
                                .encodeStored())) {
            TestingColumnFile wrong = file(metadata);
            assertRefused(() -> ColumnFileReader.open(far(), wrong, columns()));
        }
    }

    /** Where all would be too long: the file has the rest. */
    @Test
    void withTheChecksumsAloneTheFileIsRead() throws IOException {
        TestingColumnFile file = file(checksumsAlone());
        for (ObjectStore from : List.of(store, far())) {
            store.reads.clear();
            ColumnFileReader reader = ColumnFileReader.open(from, file, columns());
            assertThat(store.reads.getFirst()).isEqualTo(index());
            assertThat(store.reads.subList(1, store.reads.size()))
                    .isNotEmpty()
                    .containsOnly(path());
            assertThat(rows(reader)).containsExactlyElementsOf(rows);
            assertDamageIsFound(from, file);
        }
    }

    @Test
    void checksumsThatAreAtHandAreNotReadAgain() throws IOException {
        TestingColumnFile file = file(checksumsAlone());
        ColumnFileReaders readers = readers();
        store.reads.clear();
        ColumnFileReader reader =
                readers.open(
                        far(),
                        file,
                        columns(),
                        () -> Optional.of(checksumsAlone()),
                        new HashMap<>());
        assertThat(store.reads).isNotEmpty().containsOnly(path());
        assertThat(rows(reader)).containsExactlyElementsOf(rows);
        assertThat(uncaught).isEmpty();
    }

    /** Of the writer or of an open key index: the index is read anew, and decides. */
    @Test
    void whatIsAtHandAndDamagedIsReadFromTheIndex() throws IOException {
        TestingColumnFile file = file();
        ColumnFileReaders readers = readers();
        byte[] damaged = written.end().storedMetadata();
        damaged[damaged.length / 2] ^= 1;
        readers.keepMetadata(path(), damaged);
        assertThat(rows(readers.open(store, file, columns()))).containsExactlyElementsOf(rows);
        assertThat(uncaught)
                .singleElement()
                .satisfies(one -> assertThat(one).hasMessageContaining(index()));
        assertThat(readers.hasMetadata(path())).isFalse();
    }

    /** Keys are found in an index whose metadata are damaged, and they are reported. */
    @Test
    void theIndexServesWithoutThem() throws IOException {
        TestingColumnFile file = file();
        IndexedMetadata place = file.indexedMetadata().orElseThrow();
        byte[] bad = store.readFully(index());
        bad[bad.length - place.metadataBytes() + 20] ^= 1;
        store.put(index(), bad);
        List<SteleException> damages = new ArrayList<>();
        KeyIndexReader keys =
                KeyIndexReader.open(
                        store,
                        index(),
                        place.keyIndexBytes(),
                        new BlockCache("keys", 1 << 20, () -> 0),
                        new KeyIndexReader.MetadataSink() {
                            @Override
                            public void accept(byte[] encoded) {
                                throw new AssertionError("damaged metadata");
                            }

                            @Override
                            public void damaged(SteleException corrupt) {
                                damages.add(corrupt);
                            }
                        });
        assertThat(damages).hasSize(1);
        assertThat(keys.find(ByteBuffer.allocate(8).putLong(7 * 77).array())).isEqualTo(77);
    }

    @Test
    void valuesAreChecked() throws IOException {
        assertDamageIsFound(store, file());
        assertDamageIsFound(far(), file());
    }

    private void assertDamageIsFound(ObjectStore from, TestingColumnFile file) throws IOException {
        byte[] good = store.readFully(path());
        byte[] bad = good.clone();
        bad[good.length / 2] ^= 4;
        store.put(path(), bad);
        ColumnFileReader reader = ColumnFileReader.open(from, file, columns());
        assertThatThrownBy(() -> rows(reader))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("checksum")
                .hasMessageContaining(path());
        store.put(path(), good);
    }
}
