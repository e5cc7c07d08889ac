package io.stele.connector.write;

import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.ColumnFileSummary;
import io.stele.columnfile.orc.write.ColumnFileWriter;
import io.stele.connector.handle.FileSplitFixture;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.opening.FilePageSources;
import io.stele.connector.read.opening.ScanCaches;
import io.stele.connector.read.prune.FileBitmapIndexes;
import io.stele.connector.sidecar.CacheUse;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Columns of doubles that files have as whole numbers too: what comes out is what went in. */
final class TestScaledColumns {
    private static final int ROWS = 40_001; // the last one alone in its batch
    private static final int PAGE_ROWS = 8_000;

    private final ObjectStore store = new InMemoryObjectStore();
    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);
    private final FilePageSources sources =
            new FilePageSources(
                    new FileMetadataCache(_ -> store, _ -> Optional.empty(), 1 << 20),
                    new DecodedColumnCache(64 << 20),
                    new FileBitmapIndexes(store),
                    types,
                    Runnable::run);

    /** Who writes the file. */
    enum Writer {
        WORKER,
        SIDECAR
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void fractionsComeBackToTheBit(Writer writer) throws IOException {
        Random random = new Random(1);
        List<Double[]> columns =
                List.of(
                        values(_ -> random.nextInt(10_000_000) / 100.0),
                        values(_ -> (double) random.nextInt(50)),
                        values(_ -> random.nextInt(5) == 0 ? null : random.nextInt(11) / 100.0),
                        values(_ -> random.nextInt(3) == 0 ? null : random.nextInt() / 1000.0),
                        values(row -> row < ROWS / 2 ? null : 1.5),
                        values(_ -> null),
                        values(row -> row == 0 ? null : -row / 10.0));
        TableSchema table = table(columns.size());
        SteleFileSplit split = write(writer, table, columns);
        assertAllComeBack(table, split, columns);
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void otherDoublesAmongThemComeBackToo(Writer writer) throws IOException {
        Random random = new Random(2);
        List<Double[]> columns =
                List.of(
                        values(_ -> random.nextGaussian()),
                        values(row -> row == ROWS - 1 ? Double.NaN : row / 100.0),
                        values(row -> row == ROWS - 1 ? -0.0 : row / 100.0),
                        values(row -> row == ROWS / 2 ? 0.123 : row / 100.0),
                        values(row -> row == 0 ? Double.NaN : 1.0),
                        values(row -> row == 5_000 ? 1e300 : 17.0),
                        values(row -> row % 2 == 0 ? null : row > 6_000 ? Math.PI : 0.5));
        TableSchema table = table(columns.size());
        SteleFileSplit split = write(writer, table, columns);
        assertAllComeBack(table, split, columns);
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void scansReadTheWholeNumbers(Writer writer) throws IOException {
        Random random = new Random(3);
        List<Double[]> columns =
                List.of(
                        values(_ -> random.nextInt(10_000_000) / 100.0),
                        values(_ -> random.nextDouble()),
                        values(_ -> random.nextDouble()), // smaller files are read whole
                        values(_ -> random.nextDouble()),
                        values(_ -> random.nextDouble()));
        TableSchema table = table(columns.size());
        SteleFileSplit split = write(writer, table, columns);
        scan(table, split, List.of(2), TupleDomain.all(), found -> {}); // and the file's end
        long fractions = scan(table, split, List.of(0), TupleDomain.all(), found -> {});
        long doubles = scan(table, split, List.of(1), TupleDomain.all(), found -> {});
        assertThat(fractions).isLessThan(doubles * 2 / 5); // 24 bits and not 64
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void rowGroupsThatCannotMatchAreLeftOut(Writer writer) throws IOException {
        List<Double[]> columns = List.of(values(row -> row / 100.0), values(_ -> 1.25));
        TableSchema table = table(columns.size());
        SteleFileSplit split = write(writer, table, columns);
        List<Double> found = new ArrayList<>();
        TupleDomain<SteleColumnHandle> constraint =
                TupleDomain.withColumnDomains(
                        Map.of(
                                handle(table, 0),
                                Domain.create(
                                        ValueSet.ofRanges(
                                                Range.range(DOUBLE, 300.0, true, 300.5, false)),
                                        false)));
        scan(table, split, List.of(0, 1), constraint, page -> add(page.getBlock(0), found));
        assertThat(found).contains(300.0, 300.01, 300.49).hasSizeLessThanOrEqualTo(20_000);
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void whatRowsAreLeftOutByComesAsADictionary(Writer writer) throws IOException {
        List<Double[]> columns =
                List.of(
                        values(row -> row % 7 == 0 ? null : row % 11 / 100.0),
                        values(row -> row / 100.0));
        TableSchema table = table(columns.size());
        SteleFileSplit split = write(writer, table, columns);
        TupleDomain<SteleColumnHandle> constraint =
                TupleDomain.withColumnDomains(
                        Map.of(handle(table, 0), Domain.onlyNull(DOUBLE).complement()));
        List<Double> found = new ArrayList<>();
        scan(
                table,
                split,
                List.of(0),
                constraint,
                page -> {
                    assertThat(page.getBlock(0) instanceof DictionaryBlock)
                            .isEqualTo(page.getPositionCount() > 1);
                    add(page.getBlock(0), found);
                });
        assertThat(found).containsExactly(columns.getFirst());
    }

    private void assertAllComeBack(TableSchema table, SteleFileSplit split, List<Double[]> expected)
            throws IOException {
        List<Integer> all = new ArrayList<>();
        for (int column = 0; column < expected.size(); column++) {
            all.add(column);
        }
        for (int again = 0; again < 3; again++) { // decoded, decoded and kept, and from memory
            List<List<Double>> found = new ArrayList<>();
            all.forEach(_ -> found.add(new ArrayList<>()));
            scan(
                    table,
                    split,
                    all,
                    TupleDomain.all(),
                    page -> all.forEach(column -> add(page.getBlock(column), found.get(column))));
            for (int column : all) {
                assertThat(bits(found.get(column)))
                        .as("column %s", column)
                        .isEqualTo(bits(Arrays.asList(expected.get(column))));
            }
        }
    }

    private static List<@Nullable Long> bits(List<@Nullable Double> values) {
        List<@Nullable Long> bits = new ArrayList<>();
        values.forEach(value -> bits.add(value == null ? null : Double.doubleToRawLongBits(value)));
        return bits;
    }

    private static void add(Block block, List<@Nullable Double> found) {
        for (int position = 0; position < block.getPositionCount(); position++) {
            found.add(block.isNull(position) ? null : DOUBLE.getDouble(block, position));
        }
    }

    private interface ValueOfRow {
        @Nullable Double at(int row);
    }

    private static Double[] values(ValueOfRow value) {
        Double[] values = new Double[ROWS];
        Arrays.setAll(values, value::at);
        return values;
    }

    private static TableSchema table(int columns) {
        List<ColumnSchema> schema = new ArrayList<>();
        for (int id = 1; id <= columns; id++) {
            // One has the name that a hidden column would have
            String name = id == 2 ? "_scaled_1" : "c" + id;
            schema.add(new ColumnSchema(id, name, DataType.parse("double")));
        }
        return TableSchema.builder("s", "t")
                .id(new TableId(7))
                .columns(schema)
                .shardCount(4)
                .build();
    }

    private static SteleColumnHandle handle(TableSchema table, int column) {
        ColumnSchema schema = table.columns().get(column);
        return new SteleColumnHandle(schema.id(), schema.name(), DOUBLE);
    }

    private SteleFileSplit write(Writer writer, TableSchema table, List<Double[]> columns)
            throws IOException {
        FileSplitFixture split =
                switch (writer) {
                    case WORKER ->
                            new FileSplitFixture("w.orc", ofWorker(table, columns)).ofWorker(5, 0);
                    case SIDECAR -> new FileSplitFixture("s.orc", ofSidecar(table, columns));
                };
        return split.checksums(OptionalInt.of(FileChecksums.BLOCK_BYTES)).build();
    }

    private long ofWorker(TableSchema table, List<Double[]> columns) throws IOException {
        try (OrcFileWriter file =
                OrcFileWriter.create(
                        store,
                        "w.orc",
                        table.columns(),
                        TableOptions.NONE,
                        types,
                        OrcFileWriter.STRIPE_BYTES,
                        OrcFileWriter.Checksums.BESIDE)) {
            for (int from = 0; from < ROWS; from += PAGE_ROWS) {
                int count = Math.min(PAGE_ROWS, ROWS - from);
                Block[] blocks = new Block[columns.size()];
                for (int column = 0; column < blocks.length; column++) {
                    BlockBuilder builder = DOUBLE.createFixedSizeBlockBuilder(count);
                    for (int row = from; row < from + count; row++) {
                        Double value = columns.get(column)[row];
                        if (value == null) {
                            builder.appendNull();
                        } else {
                            DOUBLE.writeDouble(builder, value);
                        }
                    }
                    blocks[column] = builder.build();
                }
                file.write(new Page(count, blocks));
            }
            return file.finish().sizeBytes();
        }
    }

    private long ofSidecar(TableSchema table, List<Double[]> columns) throws IOException {
        RowLayout layout = RowLayout.of(table.columns());
        BinaryRow view = new BinaryRow(layout);
        try (ColumnFileWriter file =
                ColumnFileWriter.create(store, "s.orc", table, ColumnFileOptions.DEFAULT)) {
            for (int row = 0; row < ROWS; row++) {
                @Nullable Object[] values = new Object[columns.size()];
                for (int column = 0; column < values.length; column++) {
                    values[column] = columns.get(column)[row];
                }
                file.add(view.wrap(Rows.toBytes(layout, values)), 5, row);
            }
            ColumnFileSummary summary = file.finish();
            store.put(WrittenFile.checksumsPath("s.orc"), summary.end().checksums());
            return summary.sizeBytes();
        }
    }

    private interface PageUse {
        void accept(SourcePage page);
    }

    /** Returns bytes read. */
    private long scan(
            TableSchema table,
            SteleFileSplit split,
            List<Integer> columns,
            TupleDomain<SteleColumnHandle> constraint,
            PageUse use)
            throws IOException {
        try (ConnectorPageSource source =
                sources.open(
                        BigintFile.QUERY_ID,
                        new SteleTableHandle(table, "r", Long.MAX_VALUE),
                        split,
                        columns.stream().map(column -> handle(table, column)).toList(),
                        constraint,
                        ScanCaches.all(CacheUse.FILL),
                        MemoryContext.NO_LIMIT,
                        _ -> {})) {
            while (!source.isFinished()) {
                SourcePage page = source.getNextSourcePage();
                if (page != null) {
                    use.accept(page);
                    page.getPage();
                }
            }
            return source.getCompletedBytes();
        }
    }
}
