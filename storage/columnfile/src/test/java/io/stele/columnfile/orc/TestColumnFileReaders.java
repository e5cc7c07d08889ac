package io.stele.columnfile.orc;

import static io.stele.columnfile.orc.ColumnFileFixture.ALL_TYPES;
import static io.stele.columnfile.orc.ColumnFileFixture.randomRows;
import static io.stele.columnfile.orc.ColumnFileFixture.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.OrcCompression;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.WouldBlockException;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;
import org.apache.orc.StripeInformation;
import org.junit.jupiter.api.Test;

final class TestColumnFileReaders {
    private static final long ENOUGH = 8 << 20;

    private final NotedReads store = new NotedReads();
    private final List<Throwable> uncaught = new ArrayList<>();

    /** Notes the objects that are read. Confined to one thread. */
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
    void aFileIsOpenedOnce() throws IOException {
        TableSchema schema = table(ALL_TYPES, true);
        List<byte[]> rows = randomRows(schema, 500, 3);
        ColumnFileFixture.Written file =
                ColumnFileFixture.written(store, schema, rows, ColumnFileOptions.DEFAULT);
        ColumnFileReaders readers =
                new ColumnFileReaders("footers", ENOUGH, () -> 0, uncaught::add);
        ColumnFileReader first = readers.open(store, file.entry(), schema.columns());
        assertThat(store.reads)
                .containsExactlyInAnyOrder(
                        file.entry().path(), WrittenFile.checksumsPath(file.entry().path()));
        assertThat(readers.open(store, file.entry(), schema.columns())).isSameAs(first);
        assertThat(readers.statistics().misses()).isOne();
        assertThat(readers.statistics().weightBytes()).isBetween(5_000L, 200_000L);
        readers.forget(file.entry().path());
        assertThat(readers.statistics().entries()).isZero();
        assertThat(readers.open(store, file.entry(), schema.columns())).isNotSameAs(first);
    }

    @Test
    void whatWasWrittenIsOpenWithoutReading() throws IOException {
        TableSchema schema = table(ALL_TYPES, true);
        List<byte[]> rows = randomRows(schema, 5_000, 4);
        ColumnFileFixture.Written file =
                ColumnFileFixture.written(store, schema, rows, ColumnFileOptions.DEFAULT);
        ColumnFileReaders readers =
                new ColumnFileReaders("footers", ENOUGH, () -> 0, uncaught::add);
        readers.written(store, file.entry(), schema.columns(), file.end());
        ColumnFileReader reader =
                NonBlocking.read(() -> readers.open(store, file.entry(), schema.columns()));
        assertThat(store.reads).isEmpty();
        assertThat(readers.statistics().misses()).isZero();
        assertThat(rows(reader)).containsExactlyElementsOf(rows);
        assertThat(store.reads).isNotEmpty().containsOnly(file.entry().path());
    }

    /** A file whose end is longer than what its writer kept of it. */
    @Test
    void aLongEndIsReadWhenItIsWanted() throws IOException {
        TableSchema schema = table(Collections.nCopies(40, "varchar"), false);
        RowLayout layout = RowLayout.of(schema.columns());
        List<byte[]> rows = new ArrayList<>();
        for (String letter : List.of("a", "b", "c")) { // statistics have the smallest and largest
            rows.add(Rows.toBytes(layout, Collections.nCopies(40, letter.repeat(1_000)).toArray()));
        }
        ColumnFileFixture.Written file =
                ColumnFileFixture.written(
                        store,
                        schema,
                        rows,
                        ColumnFileOptions.DEFAULT.withCompression(OrcCompression.NONE));
        assertThat(file.end().tail(file.entry().sizeBytes())).isEmpty();
        ColumnFileReaders readers =
                new ColumnFileReaders("footers", ENOUGH, () -> 0, uncaught::add);
        readers.written(store, file.entry(), schema.columns(), file.end());
        assertThat(readers.statistics().entries()).isZero();
        assertThatThrownBy(
                        () ->
                                NonBlocking.read(
                                        () -> readers.open(store, file.entry(), schema.columns())))
                .isInstanceOf(WouldBlockException.class);
        assertThat(rows(readers.open(store, file.entry(), schema.columns())))
                .containsExactlyElementsOf(rows);
    }

    @Test
    void nothingStaysWithoutMemory() throws IOException {
        TableSchema schema = table(List.of("bigint"), true);
        List<byte[]> rows = randomRows(schema, 10, 6);
        ColumnFileFixture.Written file =
                ColumnFileFixture.written(store, schema, rows, ColumnFileOptions.DEFAULT);
        ColumnFileReaders readers = new ColumnFileReaders("footers", 0, () -> 0, uncaught::add);
        readers.written(store, file.entry(), schema.columns(), file.end());
        for (int round = 0; round < 2; round++) {
            assertThat(rows(readers.open(store, file.entry(), schema.columns())))
                    .containsExactlyElementsOf(rows);
        }
        assertThat(readers.statistics().misses()).isEqualTo(2);
        assertThat(readers.statistics().entries()).isZero();
    }

    /** What its writer noted of a file is all of it that is not values, as it is in the file. */
    @Test
    void theMetadataOfAWrittenFileIsKeptForOthers() throws IOException {
        TableSchema schema = table(ALL_TYPES, true);
        ColumnFileFixture.Written file =
                ColumnFileFixture.written(
                        store,
                        schema,
                        randomRows(schema, 60_000, 8),
                        new ColumnFileOptions(OrcCompression.LZ4, 1 << 20, 5_000, 32 << 10));
        String path = file.entry().path();
        ColumnFileReaders readers =
                new ColumnFileReaders("footers", ENOUGH, () -> 0, uncaught::add);
        assertThat(readers.hasMetadata(path)).isFalse();
        readers.written(store, file.entry(), schema.columns(), file.end());
        assertThat(readers.hasMetadata(path)).isTrue();
        FileMetadata found = FileMetadata.decode(path, readers.findMetadata(path).orElseThrow());
        byte[] content = store.readFully(path);
        assertThat(found.checksums()).isEqualTo(store.readFully(WrittenFile.checksumsPath(path)));
        assertThat(found.bytes().end()).isEqualTo(content.length);
        List<StripeInformation> stripes = ColumnFileFixture.stripes(store, file.entry());
        assertThat(stripes).hasSizeGreaterThan(2);
        for (StripeInformation stripe : stripes) {
            long footer = stripe.getOffset() + stripe.getIndexLength() + stripe.getDataLength();
            assertSame(content, found, stripe.getOffset(), stripe.getIndexLength());
            assertSame(content, found, footer, stripe.getFooterLength());
        }
        StripeInformation last = stripes.getLast();
        long end = last.getOffset() + last.getLength();
        assertSame(content, found, end, content.length - end);
        assertThat(found.bytes().sizeBytes()).isLessThan(content.length / 4);
        readers.forget(path);
        assertThat(readers.hasMetadata(path)).isFalse();
    }

    /** The file has all that they say. */
    @Test
    void metadataThatAreDamagedAreNotNeeded() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar"), true);
        List<byte[]> rows = randomRows(schema, 3_000, 9);
        ColumnFileFixture.Written file =
                ColumnFileFixture.written(store, schema, rows, ColumnFileOptions.DEFAULT);
        byte[] good = file.end().encodedMetadata().orElseThrow();
        int script = good.length - 2 * Integer.BYTES - file.end().checksums().length - 1;
        List<byte[]> damaged = new ArrayList<>();
        damaged.add(flipped(good, good.length / 2, false)); // a wrong checksum
        damaged.add(flipped(good, 0, true)); // the magic
        damaged.add(flipped(good, 8, true)); // the count of runs
        damaged.add(flipped(good, 8 + 3, true)); // the same, below 0
        damaged.add(flipped(good, 12 + 8 + 2, true)); // a length
        damaged.add(flipped(good, 12 + 8 + 3, true)); // the same, below 0
        damaged.add(flipped(good, script, true)); // the length of the postscript
        damaged.add(new byte[3]);
        damaged.add(
                ColumnFileFixture.written(
                                store,
                                schema,
                                randomRows(schema, 2_999, 9),
                                ColumnFileOptions.DEFAULT)
                        .end()
                        .encodedMetadata()
                        .orElseThrow()); // of another file
        for (int i = 0; i < damaged.size(); i++) {
            ColumnFileReaders readers =
                    new ColumnFileReaders("footers", ENOUGH, () -> 0, uncaught::add);
            readers.keepMetadata(file.entry().path(), damaged.get(i));
            uncaught.clear();
            assertThat(rows(readers.open(store, file.entry(), schema.columns())))
                    .as("metadata %s", i)
                    .containsExactlyElementsOf(rows);
            assertThat(uncaught).as("metadata %s", i).hasSize(1);
            assertThat(uncaught.getFirst()).hasMessageContaining(file.entry().path());
            assertThat(readers.hasMetadata(file.entry().path())).isFalse();
        }
        ColumnFileReaders readers =
                new ColumnFileReaders("footers", ENOUGH, () -> 0, uncaught::add);
        uncaught.clear();
        ColumnFileReader unread =
                readers.open(
                        store,
                        file.entry(),
                        schema.columns(),
                        () -> {
                            throw new SteleException(ErrorCode.CORRUPT_DATA, "damaged in a.idx");
                        },
                        new HashMap<>());
        assertThat(rows(unread)).containsExactlyElementsOf(rows);
        assertThat(uncaught.getFirst()).hasRootCauseMessage("damaged in a.idx");
    }

    /**
     * @param isSummed with a checksum of what there is then
     */
    private static byte[] flipped(byte[] good, int position, boolean isSummed) {
        byte[] bad = good.clone();
        bad[position] ^= (byte) 0x80;
        if (isSummed) {
            CRC32C sum = new CRC32C();
            sum.update(bad, 0, bad.length - Integer.BYTES);
            ByteBuffer.wrap(bad)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(bad.length - Integer.BYTES, (int) sum.getValue());
        }
        return bad;
    }

    private record Opened(RowGroupReader reader, WeakReference<Map<?, ?>> fetched) {}

    /** The library keeps what it reads by: a row group in the cache weighs one, not all of them. */
    @Test
    void aRowGroupKeepsNothingOfThoseReadWithIt() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar"), true);
        List<byte[]> rows = randomRows(schema, 5_000, 10);
        ColumnFileFixture.Written file =
                ColumnFileFixture.written(
                        store,
                        schema,
                        rows,
                        new ColumnFileOptions(OrcCompression.LZ4, 64 << 20, 1_000, 32 << 10));
        ColumnFileReader reader =
                ColumnFileReader.open(
                        new FarObjectStore(store, Runnable::run, () -> 0),
                        file.entry(),
                        schema.columns());
        Opened opened = openWithOthers(reader);
        for (int i = 0; i < 100 && opened.fetched.get() != null; i++) {
            System.gc();
        }
        assertThat(opened.fetched.get()).isNull();
        store.reads.clear();
        for (int row : new int[] {2_999, 2_000, 2_500}) {
            assertThat(opened.reader.read(row).row()).isEqualTo(rows.get(row));
        }
        assertThat(store.reads).isEmpty();
    }

    private static Opened openWithOthers(ColumnFileReader file) throws IOException {
        StripeMetadata metadata = file.readStripeMetadata(0);
        Map<ByteRange, ByteBuffer> fetched = file.readRowGroups(0, Set.of(0, 1, 2, 3, 4), metadata);
        return new Opened(
                file.openRowGroups(0, Set.of(2), metadata, fetched), new WeakReference<>(fetched));
    }

    private static void assertSame(byte[] content, FileMetadata found, long offset, long length) {
        assertThat(found.bytes().at(offset, length))
                .isEqualTo(Arrays.copyOfRange(content, (int) offset, (int) (offset + length)));
    }

    @Test
    void noMoreMetadataIsKeptThanThereIsRoomFor() {
        ColumnFileReaders readers =
                new ColumnFileReaders("footers", 400_000, () -> 0, uncaught::add);
        for (int file = 0; file < 100; file++) {
            readers.keepMetadata("data/1/0/" + file + ".orc", new byte[10_000]);
        }
        assertThat(readers.freshStatistics().weightBytes()).isBetween(50_000L, 100_000L);
        assertThat(readers.freshStatistics().evictions()).isPositive();
        assertThat(readers.findMetadata("data/1/0/none.orc")).isEmpty();
    }

    /** Values that are damaged after the footer was kept are found as they are read. */
    @Test
    void checksumsOfTheWriterAreChecked() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar"), true);
        List<byte[]> rows = randomRows(schema, 3_000, 7);
        ColumnFileFixture.Written file =
                ColumnFileFixture.written(store, schema, rows, ColumnFileOptions.DEFAULT);
        ColumnFileReaders readers =
                new ColumnFileReaders("footers", ENOUGH, () -> 0, uncaught::add);
        readers.written(store, file.entry(), schema.columns(), file.end());
        String path = file.entry().path();
        byte[] damaged = store.readFully(path);
        damaged[100] ^= 4;
        store.delete(path);
        store.put(path, damaged);
        ColumnFileReader reader = readers.open(store, file.entry(), schema.columns());
        assertThatThrownBy(() -> rows(reader))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("checksum")
                .hasMessageContaining(path);
    }
}
