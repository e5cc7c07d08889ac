package io.stele.storage.orc;

import static io.stele.storage.orc.ColumnFileFixture.ALL_TYPES;
import static io.stele.storage.orc.ColumnFileFixture.randomRows;
import static io.stele.storage.orc.ColumnFileFixture.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.SteleException;
import io.stele.protocol.api.WrittenFile;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.format.FileMetadata;
import io.stele.storage.objectstore.ForwardingObjectStore;
import io.stele.storage.objectstore.InMemoryObjectStore;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.objectstore.WouldBlockException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.orc.StripeInformation;
import org.junit.jupiter.api.Test;

final class TestColumnFileReaders {
    private static final long ENOUGH = 8 << 20;

    private final NotedReads store = new NotedReads();

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
        ColumnFileReaders readers = new ColumnFileReaders("footers", ENOUGH, () -> 0);
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
        ColumnFileReaders readers = new ColumnFileReaders("footers", ENOUGH, () -> 0);
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
        ColumnFileReaders readers = new ColumnFileReaders("footers", ENOUGH, () -> 0);
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
        ColumnFileReaders readers = new ColumnFileReaders("footers", 0, () -> 0);
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
        ColumnFileReaders readers = new ColumnFileReaders("footers", ENOUGH, () -> 0);
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

    private static void assertSame(byte[] content, FileMetadata found, long offset, long length) {
        assertThat(found.bytes().at(offset, length))
                .isEqualTo(Arrays.copyOfRange(content, (int) offset, (int) (offset + length)));
    }

    @Test
    void noMoreMetadataIsKeptThanThereIsRoomFor() {
        ColumnFileReaders readers = new ColumnFileReaders("footers", 400_000, () -> 0);
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
        ColumnFileReaders readers = new ColumnFileReaders("footers", ENOUGH, () -> 0);
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
