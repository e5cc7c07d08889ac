package io.stele.columnfile.orc;

import static io.stele.columnfile.orc.ColumnFileFixture.ALL_TYPES;
import static io.stele.columnfile.orc.ColumnFileFixture.entry;
import static io.stele.columnfile.orc.ColumnFileFixture.lsn;
import static io.stele.columnfile.orc.ColumnFileFixture.randomRows;
import static io.stele.columnfile.orc.ColumnFileFixture.rowId;
import static io.stele.columnfile.orc.ColumnFileFixture.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.ColumnFileWriter;
import io.stele.columnfile.orc.write.OrcCompression;
import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.LocalObjectStore;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TestColumnFile {
    /** Several row groups and batches, an uneven last one. */
    private static final int ROWS = 25_037;

    private static final ColumnFileOptions SMALL_STRIPES =
            new ColumnFileOptions(OrcCompression.LZ4, 1 << 20, 1_000, 1 << 14);

    private final ObjectStore store = new InMemoryObjectStore();

    @ParameterizedTest
    @EnumSource(OrcCompression.class)
    void everyTypeComesBack(OrcCompression compression) throws IOException {
        TableSchema schema = table(ALL_TYPES, true);
        List<byte[]> rows = randomRows(schema, 3_000, 17);
        TestingColumnFile file = write(schema, rows, SMALL_STRIPES.withCompression(compression));
        ColumnFileReader reader = ColumnFileReader.open(store, file, schema.columns());
        BinaryRow expected = new BinaryRow(RowLayout.of(schema.columns()));
        try (ColumnFileCursor cursor = reader.cursor()) {
            for (int i = 0; i < rows.size(); i++) {
                assertThat(cursor.advance()).isTrue();
                assertThat(cursor.ordinal()).isEqualTo(i);
                assertThat(cursor.lsn()).isEqualTo(lsn(i));
                if (!Arrays.equals(cursor.row().toByteArray(), rows.get(i))) {
                    // Only for the message: bytes are what must be equal.
                    assertThat(Rows.toObjects(cursor.row()))
                            .isEqualTo(Rows.toObjects(expected.wrap(rows.get(i))));
                }
                assertThat(cursor.row().toByteArray()).as("row %s", i).isEqualTo(rows.get(i));
            }
            assertThat(cursor.advance()).isFalse();
        }
    }

    @Test
    void rowsAboveTheLimitOfNewOnesAreWrittenAndRead() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar"), true);
        RowEncoder encoder = RowEncoder.ofStored(RowLayout.of(schema.columns()));
        encoder.setLong(0, 1);
        encoder.setBytes(1, new byte[RowLayout.MAX_ROW_BYTES + 1]);
        byte[] row = encoder.finishToArray();
        TestingColumnFile file = write(schema, List.of(row), ColumnFileOptions.DEFAULT);
        ColumnFileReader reader = ColumnFileReader.open(store, file, schema.columns());
        try (ColumnFileCursor cursor = reader.cursor()) {
            assertThat(cursor.advance()).isTrue();
            assertThat(Arrays.equals(cursor.row().toByteArray(), row)).isTrue();
        }
        ColumnPointReader points = new ColumnPointReader("points", 64 << 20, () -> 0);
        assertThat(Arrays.equals(points.read(reader, 0).row(), row)).isTrue();
    }

    @Test
    void rowsWithoutKeyHaveTheirRowIds() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar"), false);
        TestingColumnFile file =
                write(schema, randomRows(schema, 2_500, 3), ColumnFileOptions.DEFAULT);
        try (ColumnFileCursor cursor =
                ColumnFileReader.open(store, file, schema.columns()).cursor()) {
            for (int i = 0; cursor.advance(); i++) {
                assertThat(cursor.rowId()).isEqualTo(rowId(i));
                assertThat(cursor.lsn()).isEqualTo(lsn(i));
            }
        }
    }

    @Test
    void seekAndPointReadsFindTheSameRows() throws IOException {
        TableSchema schema = table(ALL_TYPES.subList(0, 20), true);
        List<byte[]> rows = randomRows(schema, ROWS, 5);
        TestingColumnFile file = write(schema, rows, SMALL_STRIPES);
        ColumnFileReader reader = ColumnFileReader.open(store, file, schema.columns());
        assertThat(reader.rowGroup(ROWS - 1).stripe()).as("stripes").isGreaterThan(1);
        ColumnPointReader points = new ColumnPointReader("points", 64 << 20, () -> 0);
        Random random = new Random(7);
        try (ColumnFileCursor cursor = reader.cursor()) {
            for (int i = 0; i < 300; i++) {
                int ordinal = i == 0 ? ROWS - 1 : random.nextInt(ROWS);
                cursor.seek(ordinal);
                assertThat(cursor.advance()).isTrue();
                assertThat(cursor.ordinal()).isEqualTo(ordinal);
                assertThat(cursor.row().toByteArray()).isEqualTo(rows.get(ordinal));
                ColumnRow row = points.read(reader, ordinal);
                assertThat(row.row()).as("row %s", ordinal).isEqualTo(rows.get(ordinal));
                assertThat(row.lsn()).isEqualTo(lsn(ordinal));
            }
        }
        assertThat(points.statistics().hits()).isPositive();
        points.forget(file.path());
        assertThat(points.statistics().entries()).isZero();
        assertThatThrownBy(() -> points.read(reader, ROWS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("found " + ROWS);
    }

    @Test
    void keptRowGroupsAreReadWithoutWaitingAndOthersNotAtAll(@TempDir Path directory)
            throws IOException {
        ObjectStore local = new LocalObjectStore(directory);
        TableSchema schema = table(List.of("bigint", "double"), true);
        RowLayout layout = RowLayout.of(schema.columns());
        List<byte[]> rows =
                IntStream.range(0, ROWS)
                        .mapToObj(i -> Rows.toBytes(layout, (long) i, i / 100.0))
                        .toList();
        TestingColumnFile file = ColumnFileFixture.write(local, schema, rows, SMALL_STRIPES);
        ColumnFileReader reader = ColumnFileReader.open(local, file, schema.columns());
        assertThat(reader.fileSchema().getFieldNames().getLast())
                .as("a column that rows are not made of")
                .isEqualTo("_scaled_2");
        ColumnPointReader points = new ColumnPointReader("points", 64 << 20, () -> 0);
        assertThat(points.read(reader, 5).row()).isEqualTo(rows.get(5));
        for (int ordinal : new int[] {5, 0, 999, 17}) {
            assertThat(NonBlocking.read(() -> points.read(reader, ordinal)).row())
                    .isEqualTo(rows.get(ordinal));
        }
        assertThatThrownBy(() -> NonBlocking.read(() -> points.read(reader, ROWS - 1)))
                .isInstanceOf(WouldBlockException.class);
        assertThatThrownBy(() -> NonBlocking.read(() -> reader.openRowGroup(new RowGroup(0, 3))))
                .isInstanceOf(WouldBlockException.class);
    }

    /** Each stripe has one wanted row group, and memory is for one of them. */
    @Test
    void rowGroupsReadAtOnceHaveOneLimit() throws Exception {
        TableSchema schema = table(ALL_TYPES.subList(0, 20), true);
        List<byte[]> rows = randomRows(schema, ROWS, 5);
        TestingColumnFile file = write(schema, rows, SMALL_STRIPES);
        Object lock = new Object();
        Set<Thread> reading = new HashSet<>(); // guarded by lock
        AtomicBoolean holds = new AtomicBoolean();
        CountDownLatch release = new CountDownLatch(1);
        ObjectStore slow =
                new ForwardingObjectStore(store) {
                    @Override
                    public void read(
                            String path, long offset, byte[] buffer, int bufferOffset, int length)
                            throws IOException {
                        if (holds.get()) {
                            synchronized (lock) {
                                reading.add(Thread.currentThread());
                            }
                            awaitUninterruptibly(release);
                        }
                        super.read(path, offset, buffer, bufferOffset, length);
                    }
                };
        ColumnFileReader reader = ColumnFileReader.open(slow, file, schema.columns());
        ColumnPointReader points = new ColumnPointReader("points", 64 << 20, 1, () -> 0);
        int[] ordinals = {0, ROWS / 2, ROWS - 1};
        List<Integer> found = Collections.synchronizedList(new ArrayList<>());
        List<ParallelReads.Read> reads =
                points.reads(reader, ordinals, row -> found.add(row.ordinal()));
        assertThat(reads).hasSize(3);
        holds.set(true);
        List<Thread> threads = new ArrayList<>();
        for (ParallelReads.Read read : reads) {
            threads.add(
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        try {
                                            read.run();
                                        } catch (IOException failed) {
                                            throw new UncheckedIOException(failed);
                                        }
                                    }));
        }
        while (!threads.stream().allMatch(TestColumnFile::isWaiting)) {
            Thread.onSpinWait();
        }
        synchronized (lock) {
            assertThat(reading).hasSize(1);
        }
        release.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(found).containsExactlyInAnyOrder(0, ROWS / 2, ROWS - 1);
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TERMINATED;
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void rowGroupsWantedTogetherAreCachedUnlessTheyWeighTooMuch() throws Exception {
        TableSchema schema = table(ALL_TYPES.subList(0, 20), true);
        List<byte[]> rows = randomRows(schema, ROWS, 5);
        TestingColumnFile file = write(schema, rows, SMALL_STRIPES);
        ColumnFileReader reader = ColumnFileReader.open(store, file, schema.columns());
        int[] ordinals = {5, 7, 1_005, 2_005}; // of three row groups of the first stripe
        assertThat(reader.rowGroup(2_005)).isEqualTo(new RowGroup(0, 2));
        long weight = 3 * reader.weightBytes(0, 1);
        ColumnPointReader large = new ColumnPointReader("points", 2 * weight, () -> 0);
        assertThat(readAll(large, reader, ordinals)).containsExactlyInAnyOrder(5, 7, 1_005, 2_005);
        assertThat(large.statistics().entries()).isEqualTo(3);
        assertThat(readAll(large, reader, ordinals)).containsExactlyInAnyOrder(5, 7, 1_005, 2_005);
        assertThat(large.statistics().misses()).isEqualTo(3);
        ColumnPointReader small = new ColumnPointReader("points", 2 * weight - 2, () -> 0);
        assertThat(readAll(small, reader, ordinals)).containsExactlyInAnyOrder(5, 7, 1_005, 2_005);
        assertThat(small.statistics().entries()).isZero();
    }

    private static List<Integer> readAll(
            ColumnPointReader points, ColumnFileReader reader, int[] ordinals) throws IOException {
        List<Integer> found = new ArrayList<>();
        for (ParallelReads.Read read :
                points.reads(reader, ordinals, row -> found.add(row.ordinal()))) {
            read.run();
        }
        return found;
    }

    @Test
    void rowsAreDecodedTogetherAsFarAsMemoryAllows() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar"), true);
        RowLayout layout = RowLayout.of(schema.columns());
        Random random = new Random(11);
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] text = new byte[64 << 10];
            random.nextBytes(text);
            rows.add(Rows.toBytes(layout, (long) i, HexFormat.of().formatHex(text)));
        }
        TestingColumnFile file = write(schema, rows, ColumnFileOptions.DEFAULT);
        ColumnFileReader reader = ColumnFileReader.open(store, file, schema.columns());
        assertThat(reader.rowBytes(0)).isBetween(64L << 10, 1L << 20);
        assertThat(RowGroupReader.walkedRows(reader.rowBytes(0))).isBetween(1, 16);
        assertThat(RowGroupReader.walkedRows(100)).isEqualTo(1024);
        ColumnPointReader points = new ColumnPointReader("points", 64 << 20, () -> 0);
        List<ColumnRow> found = new ArrayList<>();
        for (ParallelReads.Read read :
                points.reads(reader, IntStream.range(0, 300).toArray(), found::add)) {
            read.run();
        }
        assertThat(found).hasSize(300);
        for (ColumnRow row : found) {
            assertThat(row.row()).isEqualTo(rows.get(row.ordinal()));
        }
    }

    /** What is kept of a file's stripes serves those who open it again, and does not hold it. */
    @Test
    void metadataOfStripesAreOfTheFileNotOfItsReader() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar"), true);
        TestingColumnFile file = write(schema, randomRows(schema, ROWS, 3), SMALL_STRIPES);
        ObjectStore far = new FarObjectStore(store, Runnable::run, () -> 0);
        ColumnPointReader points = new ColumnPointReader("points", 1, () -> 0);
        for (int i = 0; i < 3; i++) {
            points.read(ColumnFileReader.open(far, file, schema.columns()), 7);
        }
        assertThat(points.stripeStatistics().misses()).isEqualTo(1);
        assertThat(points.stripeStatistics().entries()).isEqualTo(1);
        points.forget(file.path());
        assertThat(points.stripeStatistics().entries()).isZero();
    }

    @Test
    void columnsAreFoundByIdAndMissingOnesAreNull() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar", "double"), true);
        List<byte[]> rows = randomRows(schema, 1_500, 9);
        TestingColumnFile file = write(schema, rows, ColumnFileOptions.DEFAULT);
        ColumnSchema renamed = new ColumnSchema(3, "other_name", DataType.parse("double"));
        ColumnSchema added = new ColumnSchema(77, "added", DataType.parse("varchar"));
        ColumnSchema key = schema.column(1);
        BinaryRow expected = new BinaryRow(RowLayout.of(schema.columns()));
        try (ColumnFileCursor cursor =
                ColumnFileReader.open(store, file, List.of(added, renamed, key)).cursor()) {
            for (int i = 0; cursor.advance(); i++) {
                expected.wrap(rows.get(i));
                assertThat(cursor.row().isNull(0)).isTrue();
                assertThat(Rows.objectAt(cursor.row(), 1)).isEqualTo(Rows.objectAt(expected, 2));
                assertThat(cursor.row().longAt(2)).isEqualTo(expected.longAt(0));
            }
        }
    }

    @Test
    void ingestedFilesTakeLsnAndRowIdFromTheManifest() throws IOException {
        TableSchema schema = table(List.of("bigint"), false);
        String path = "data/1/worker.orc";
        Configuration configuration = OrcLibrary.configuration();
        org.apache.orc.TypeDescription type = org.apache.orc.TypeDescription.createStruct();
        type.addField(
                "c1",
                OrcSchemas.type(DataType.parse("bigint"))
                        .setAttribute(OrcSchemas.ID_ATTRIBUTE, "1"));
        java.nio.file.Path local =
                java.nio.file.Files.createTempDirectory("stele").resolve("worker.orc");
        try (org.apache.orc.Writer writer =
                OrcFile.createWriter(
                        new org.apache.hadoop.fs.Path(local.toUri()),
                        OrcFile.writerOptions(configuration).setSchema(type))) {
            var batch = type.createRowBatch();
            for (int i = 0; i < 100; i++) {
                ((org.apache.hadoop.hive.ql.exec.vector.LongColumnVector) batch.cols[0]).vector[i] =
                        i * 3L;
            }
            batch.size = 100;
            writer.addRowBatch(batch);
        }
        byte[] bytes = java.nio.file.Files.readAllBytes(local);
        store.put(path, bytes);
        TestingColumnFile file =
                entry(path, bytes.length, 100, Lsn.MIN, Lsn.MIN, Map.of())
                        .withIngest(new Lsn(99), OptionalLong.of(5_000));
        try (ColumnFileCursor cursor =
                ColumnFileReader.open(store, file, schema.columns()).cursor()) {
            for (int i = 0; cursor.advance(); i++) {
                assertThat(cursor.lsn()).isEqualTo(99);
                assertThat(cursor.rowId()).isEqualTo(5_000 + i);
                assertThat(cursor.row().longAt(0)).isEqualTo(i * 3L);
            }
        }
        assertThatThrownBy(
                        () ->
                                ColumnFileReader.open(
                                        store,
                                        entry(path, bytes.length, 100, Lsn.MIN, Lsn.MIN, Map.of()),
                                        schema.columns()))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("_lsn");
    }

    @Test
    void statisticsBoundEveryValue() throws IOException {
        TableSchema schema = table(ALL_TYPES, true);
        List<byte[]> rows = randomRows(schema, 2_000, 23);
        TestingColumnFile file = write(schema, rows, ColumnFileOptions.DEFAULT);
        BinaryRow row = new BinaryRow(RowLayout.of(schema.columns()));
        for (int column = 0; column < schema.columns().size(); column++) {
            ColumnStats stats = file.columnStats().get(column + 1);
            long nulls = 0;
            byte[] min = null;
            byte[] max = null;
            for (byte[] bytes : rows) {
                row.wrap(bytes);
                if (row.isNull(column)) {
                    nulls++;
                } else if (schema.columns().get(column).type().isOrderable()
                        && !isNaN(Rows.objectAt(row, column))) {
                    byte[] value =
                            ValueCodec.of(schema.columns().get(column).type()).encode(row, column);
                    min = min == null || Arrays.compareUnsigned(value, min) < 0 ? value : min;
                    max = max == null || Arrays.compareUnsigned(value, max) > 0 ? value : max;
                }
            }
            assertThat(stats.nullCount())
                    .as("nulls of %s", schema.columns().get(column))
                    .isEqualTo(nulls);
            if (min != null) {
                assertThat(Arrays.compareUnsigned(stats.min().orElseThrow(), min))
                        .isLessThanOrEqualTo(0);
                assertThat(Arrays.compareUnsigned(stats.max().orElseThrow(), max))
                        .isGreaterThanOrEqualTo(0);
            }
        }
    }

    @Test
    void randomTextIsDirectAndRepeatedTextIsDictionary() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar", "varchar", "varchar"), true);
        RowLayout layout = RowLayout.of(schema.columns());
        Random random = new Random(1);
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < 12_000; i++) {
            rows.add(
                    Rows.toBytes(
                            layout,
                            (long) i,
                            "r" + random.nextLong(),
                            "status " + random.nextInt(5),
                            null));
        }
        TestingColumnFile file = write(schema, rows, ColumnFileOptions.DEFAULT);
        Configuration configuration = OrcLibrary.configuration();
        try (Reader reader =
                OrcFile.createReader(
                        ColumnFileSystem.path(file.path()),
                        OrcFile.readerOptions(configuration)
                                .filesystem(
                                        new ColumnFileSystem(
                                                ChecksummedFile.open(
                                                        store,
                                                        file.path(),
                                                        file.sizeBytes(),
                                                        file.checksumBlockBytes()),
                                                configuration)))) {
            List<org.apache.orc.OrcProto.ColumnEncoding> encodings =
                    ((org.apache.orc.impl.RecordReaderImpl) reader.rows())
                            .readStripeFooter(reader.getStripes().getFirst())
                            .getColumnsList();
            assertThat(encodings.get(2).getKind())
                    .isEqualTo(org.apache.orc.OrcProto.ColumnEncoding.Kind.DIRECT_V2);
            assertThat(encodings.get(3).getKind())
                    .isEqualTo(org.apache.orc.OrcProto.ColumnEncoding.Kind.DICTIONARY_V2);
        }
    }

    @Test
    void wrongSizesAndBytesAreRefused() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar"), true);
        TestingColumnFile file =
                write(schema, randomRows(schema, 100, 2), ColumnFileOptions.DEFAULT);
        byte[] bytes = store.readFully(file.path());
        store.put("cut.orc", Arrays.copyOf(bytes, bytes.length - 1));
        TestingColumnFile cut =
                entry("cut.orc", bytes.length - 1, 100, file.minLsn(), file.maxLsn(), Map.of());
        assertThatThrownBy(() -> ColumnFileReader.open(store, cut, schema.columns()))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining("cut.orc");
        TestingColumnFile otherCount =
                entry(file.path(), bytes.length, 101, file.minLsn(), file.maxLsn(), Map.of());
        assertThatThrownBy(() -> ColumnFileReader.open(store, otherCount, schema.columns()))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Expected 101 rows, found 100");
    }

    @Test
    void everyFlippedByteIsRefused() throws Exception {
        TableSchema schema = table(List.of("bigint", "varchar", "double"), true);
        TestingColumnFile file =
                write(schema, randomRows(schema, 40, 3), ColumnFileOptions.DEFAULT);
        ByteFlips.everyFlipIsRefused(store, file.path(), path -> readAll(file, schema));
        ByteFlips.everyFlipIsRefused(
                store, WrittenFile.checksumsPath(file.path()), path -> readAll(file, schema));
    }

    @Test
    void flippedBytesOfALargeFileAreRefused() throws IOException {
        TableSchema schema = table(List.of("bigint", "varchar", "decimal(38,10)"), true);
        TestingColumnFile file = write(schema, randomRows(schema, 20_000, 5), SMALL_STRIPES);
        byte[] good = store.readFully(file.path());
        assertThat(good).hasSizeGreaterThan(10 * FileChecksums.BLOCK_BYTES);
        Random random = new Random(6);
        for (int flip = 0; flip < 40; flip++) {
            byte[] bad = good.clone();
            int position = random.nextInt(bad.length);
            bad[position] ^= (byte) (1 << random.nextInt(8));
            store.put(file.path(), bad);
            int block = position / FileChecksums.BLOCK_BYTES * FileChecksums.BLOCK_BYTES;
            assertThatThrownBy(() -> readAll(file, schema))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                    .hasMessageContaining(file.path() + " at offset " + block);
        }
        store.put(file.path(), good);
        readAll(file, schema);
    }

    @Test
    void aFileWithoutChecksumsIsRead() throws IOException {
        TableSchema schema = table(List.of("bigint"), true);
        TestingColumnFile file =
                write(schema, randomRows(schema, 40, 3), ColumnFileOptions.DEFAULT);
        store.delete(WrittenFile.checksumsPath(file.path()));
        assertThat(readAll(file.withChecksums(OptionalInt.empty()), schema)).isEqualTo(40);
        assertThatThrownBy(() -> readAll(file, schema))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(WrittenFile.checksumsPath(file.path()));
    }

    private long readAll(TestingColumnFile file, TableSchema schema) throws IOException {
        long rows = 0;
        ColumnFileReader reader = ColumnFileReader.open(store, file, schema.columns());
        try (ColumnFileCursor cursor = reader.cursor()) {
            while (cursor.advance()) {
                cursor.row();
                rows++;
            }
        }
        return rows;
    }

    @Test
    void abandonedWriterLeavesNothing() throws IOException {
        TableSchema schema = table(List.of("bigint"), true);
        BinaryRow row = new BinaryRow(RowLayout.of(schema.columns()));
        try (ColumnFileWriter writer =
                ColumnFileWriter.create(store, "gone.orc", schema, ColumnFileOptions.DEFAULT)) {
            for (long i = 0; i < 10_000; i++) {
                writer.add(row.wrap(Rows.toBytes(row.rowLayout(), i)), 1, 0);
            }
        }
        assertThat(store.list("")).isEmpty();
    }

    @Test
    void wideRowsMakeSmallerRowGroups() {
        assertThat(ColumnFileOptions.DEFAULT.rowGroupRows(100)).isEqualTo(10_000);
        assertThat(ColumnFileOptions.DEFAULT.rowGroupRows(1_024)).isEqualTo(2_048);
        assertThat(ColumnFileOptions.DEFAULT.rowGroupRows(1 << 20)).isEqualTo(1_000);
    }

    private static boolean isNaN(Object value) {
        return (value instanceof Double number && number.isNaN())
                || (value instanceof Float real && real.isNaN());
    }

    private TestingColumnFile write(
            TableSchema schema, List<byte[]> rows, ColumnFileOptions options) throws IOException {
        return ColumnFileFixture.write(store, schema, rows, options);
    }
}
