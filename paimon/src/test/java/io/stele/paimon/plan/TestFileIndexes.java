package io.stele.paimon.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.paimon.TestingLake;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.handle.PaimonMergedSplit;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.read.CountingLakeFiles;
import io.stele.paimon.read.DataFiles;
import io.stele.paimon.read.FileRowsOracle;
import io.stele.paimon.read.RawFilePageSources;
import io.stele.paimon.read.SortedFilePageSources;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Paimon's indexes of data files, by which files and rows are left out. */
final class TestFileIndexes {
    private static final int ROWS = 20_000;
    private static final int VALUES = 400;
    private static final long CACHE_BYTES = 16 << 20;

    @TempDir Path folder;

    private final TableSchemas schemas = new TableSchemas(1 << 20);
    private final CountingLakeFiles store = new CountingLakeFiles();
    private final DataFiles files = new DataFiles(() -> store, CACHE_BYTES, Runnable::run);
    private TestingLake lake;

    @BeforeEach
    void open() {
        lake = new TestingLake(folder);
    }

    @AfterEach
    void close() throws Exception {
        lake.close();
    }

    /** Columns {@code id}, {@code v}, of even numbers in no order, and {@code w}, as {@code v}. */
    private FileStoreTable create(String format, String index, String threshold, boolean isKeyed)
            throws Exception {
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("id", DataTypes.INT().notNull())
                        .column("v", DataTypes.INT())
                        .column("w", DataTypes.INT())
                        .column("s", DataTypes.STRING())
                        .option("file.format", format)
                        .option("file-index.%s.columns".formatted(index), "v,s")
                        .option("file-index.in-manifest-threshold", threshold);
        if (isKeyed) {
            schema.primaryKey("id")
                    .option("bucket", "1")
                    .option("deletion-vectors.enabled", "true");
        }
        FileStoreTable table = lake.create("d", "t", schema.build());
        lake.write(table, rows(0), isKeyed);
        return table;
    }

    private static @Nullable Integer value(Random random) {
        int value = 2 * random.nextInt(VALUES);
        return value == 0 ? null : value - VALUES;
    }

    private static List<GenericRow> rows(int seed) {
        Random random = new Random(seed);
        List<GenericRow> rows = new ArrayList<>();
        for (int id = 0; id < ROWS; id++) {
            Integer value = value(random);
            rows.add(
                    GenericRow.of(
                            id,
                            value,
                            value,
                            value == null ? null : TestingLake.text("s" + value)));
        }
        return rows;
    }

    private List<ConnectorSplit> splits(FileStoreTable table) {
        SplitCollector collector = new SplitCollector(64 << 20, new NativeReading(table, schemas));
        for (Split split : table.newReadBuilder().newScan().plan().splits()) {
            collector.add((DataSplit) split);
        }
        return collector.scan().splits();
    }

    private FileRowsOracle oracle(FileStoreTable table) {
        return new FileRowsOracle(table, new RawFilePageSources(files));
    }

    /** The rows that a scan gives for a constraint; those outside it may be among them. */
    private List<String> scan(FileStoreTable table, String column, Domain domain) throws Exception {
        PaimonColumnHandle handle =
                oracle(table).columns().stream()
                        .filter(other -> other.name().equals(column))
                        .findFirst()
                        .orElseThrow();
        TupleDomain<PaimonColumnHandle> wanted =
                TupleDomain.withColumnDomains(Map.of(handle, domain));
        List<String> rows = new ArrayList<>();
        for (ConnectorSplit split : splits(table)) {
            try (ConnectorPageSource source = source(table, split, wanted)) {
                rows.addAll(oracle(table).rows(source));
            }
        }
        return rows;
    }

    private ConnectorPageSource source(
            FileStoreTable table, ConnectorSplit split, TupleDomain<PaimonColumnHandle> wanted) {
        return switch (split) {
            case PaimonFileSplit file ->
                    new RawFilePageSources(files)
                            .open(
                                    schemas.schema(table, file.schemaId()),
                                    table.schema(),
                                    file,
                                    oracle(table).columns(),
                                    wanted,
                                    MemoryContext.NO_LIMIT);
            case PaimonMergedSplit sorted ->
                    new SortedFilePageSources(files)
                            .open(
                                    table,
                                    id -> schemas.schema(table, id),
                                    sorted,
                                    oracle(table).columns(),
                                    wanted,
                                    MemoryContext.NO_LIMIT);
            default -> throw new AssertionError("Left to Paimon: " + split);
        };
    }

    private List<String> paimon(FileStoreTable table, Predicate<@Nullable Integer> wanted)
            throws Exception {
        List<String> rows = new ArrayList<>();
        for (DataSplit split : oracle(table).splits()) {
            for (String row : oracle(table).paimon(split)) {
                String value = row.split(" \\| ")[1];
                if (wanted.test(value.equals("null") ? null : Integer.valueOf(value))) {
                    rows.add(row);
                }
            }
        }
        return rows;
    }

    private static Domain domain(Range... ranges) {
        return Domain.create(
                ValueSet.ofRanges(
                        ranges[0], java.util.Arrays.copyOfRange(ranges, 1, ranges.length)),
                false);
    }

    private static Domain equal(long value) {
        return Domain.singleValue(io.trino.spi.type.IntegerType.INTEGER, value);
    }

    private static Range greater(long value) {
        return Range.greaterThan(io.trino.spi.type.IntegerType.INTEGER, value);
    }

    private static Range atMost(long value) {
        return Range.lessThanOrEqual(io.trino.spi.type.IntegerType.INTEGER, value);
    }

    private List<String> indexFiles() {
        return store.wholeFiles().stream().filter(file -> file.endsWith(".index")).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "orc, bitmap, 1B", "parquet, bitmap, 1B", "parquet, bitmap, 1MB",
        "orc, bsi, 1B", "parquet, bsi, 1B", "orc, bsi, 1MB",
        "orc, range-bitmap, 1B", "parquet, range-bitmap, 1B", "parquet, range-bitmap, 1MB"
    })
    void bitmapsSelectRows(String format, String index, String threshold) throws Exception {
        // Texts have no bit slices
        FileStoreTable table =
                index.equals("bsi")
                        ? createOfNumbers(format, index, threshold)
                        : create(format, index, threshold, false);
        for (int value : List.of(2, -100, VALUES - 2, 0)) {
            List<String> rows = scan(table, "v", equal(value));
            assertThat(rows)
                    .as("%s", value)
                    .isNotEmpty()
                    .containsExactlyInAnyOrderElementsOf(
                            paimon(table, v -> v != null && v == value));
        }
        assertThat(scan(table, "v", Domain.onlyNull(io.trino.spi.type.IntegerType.INTEGER)))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(paimon(table, v -> v == null));
        long before = store.requests();
        assertThat(scan(table, "v", equal(3))).as("between two values").isEmpty();
        assertThat(store.requests() - before).as("of a file whose index is known").isZero();
        assertThat(indexFiles()).hasSize(threshold.equals("1B") ? 1 : 0);
        if (!index.equals("bitmap")) {
            assertThat(scan(table, "v", domain(greater(VALUES - 10))))
                    .isNotEmpty()
                    .containsExactlyInAnyOrderElementsOf(
                            paimon(table, v -> v != null && v > VALUES - 10));
            assertThat(scan(table, "v", domain(atMost(10 - VALUES), greater(VALUES - 10))))
                    .containsExactlyInAnyOrderElementsOf(
                            paimon(table, v -> v != null && (v <= 10 - VALUES || v > VALUES - 10)));
        }
    }

    private FileStoreTable createOfNumbers(String format, String index, String threshold)
            throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        "t",
                        Schema.newBuilder()
                                .column("id", DataTypes.INT())
                                .column("v", DataTypes.INT())
                                .column("w", DataTypes.INT())
                                .option("file.format", format)
                                .option("file-index.%s.columns".formatted(index), "v")
                                .option("file-index.in-manifest-threshold", threshold)
                                .build());
        lake.write(
                table,
                rows(0).stream()
                        .map(
                                row ->
                                        GenericRow.of(
                                                row.getField(0), row.getField(1), row.getField(2)))
                        .toList(),
                false);
        return table;
    }

    @ParameterizedTest
    @CsvSource({"orc, 1B", "parquet, 1B", "parquet, 64MB"})
    void bloomFiltersLeaveFilesOut(String format, String threshold) throws Exception {
        FileStoreTable table = create(format, "bloom-filter", threshold, false);
        int absent = 0;
        for (int value = 1; value < 41; value += 2) {
            absent += scan(table, "v", equal(value)).isEmpty() ? 1 : 0;
        }
        assertThat(absent).as("of 20 values that no row has").isGreaterThanOrEqualTo(15);
        assertThat(scan(table, "v", equal(-100)))
                .containsAll(paimon(table, v -> v != null && v == -100));
        assertThat(indexFiles()).hasSize(threshold.equals("1B") ? 1 : 0);
        assertThat(
                        scan(
                                table,
                                "s",
                                Domain.singleValue(
                                        io.trino.spi.type.VarcharType.VARCHAR,
                                        io.airlift.slice.Slices.utf8Slice("s-100"))))
                .containsAll(paimon(table, v -> v != null && v == -100));
    }

    /** Deleted rows stay so, and rows of two files are merged as before. */
    @ParameterizedTest
    @CsvSource({"orc", "parquet"})
    void deletedRowsAreNotSelected(String format) throws Exception {
        FileStoreTable table = create(format, "bitmap", "1B", true);
        List<GenericRow> changed = new ArrayList<>();
        for (int id = 0; id < ROWS; id += 7) {
            changed.add(GenericRow.of(id, 2, 2, TestingLake.text("changed")));
        }
        lake.write(table, changed, true);
        for (int value : List.of(2, -100)) {
            assertThat(scan(table, "v", equal(value)))
                    .isNotEmpty()
                    .containsExactlyInAnyOrderElementsOf(
                            paimon(table, v -> v != null && v == value));
        }
    }

    @Test
    void anIndexIsReadBesideTheFilesEndAndOnlyForItsColumns() throws Exception {
        FileStoreTable table = create("orc", "bitmap", "1B", false);
        scan(table, "w", equal(2));
        assertThat(indexFiles()).as("no index of the column").isEmpty();

        DataFiles fresh = new DataFiles(() -> store, CACHE_BYTES, Runnable::run);
        long before = store.rounds();
        try (ConnectorPageSource source =
                new RawFilePageSources(fresh)
                        .open(
                                table.schema(),
                                table.schema(),
                                (PaimonFileSplit) splits(table).get(0),
                                oracle(table).columns(),
                                TupleDomain.withColumnDomains(
                                        Map.of(oracle(table).columns().get(1), equal(3))),
                                MemoryContext.NO_LIMIT)) {
            assertThat(oracle(table).rows(source)).isEmpty();
        }
        assertThat(indexFiles()).hasSize(1);
        assertThat(store.rounds() - before).isEqualTo(1);
    }

    @Test
    void optionsSwitchIndexesOff() throws Exception {
        FileStoreTable table =
                create("parquet", "bitmap", "1B", false)
                        .copy(Map.of("file-index.read.enabled", "false"));
        assertThat(scan(table, "v", equal(2))).hasSize(ROWS);
        assertThat(indexFiles()).isEmpty();
    }

    @Test
    void aDamagedIndexIsNamed() throws Exception {
        FileStoreTable table = create("parquet", "bitmap", "1B", false);
        Path index;
        try (Stream<Path> all = Files.walk(folder)) {
            index =
                    all.filter(file -> file.toString().endsWith(".index"))
                            .findFirst()
                            .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(index);
        bytes[3] ^= 1; // of its magic number
        Files.write(index, bytes);
        assertThatThrownBy(() -> scan(table, "v", equal(2)))
                .isInstanceOf(TrinoException.class)
                .hasMessageContaining(index.getFileName().toString());
        Files.delete(index);
        assertThatThrownBy(() -> scan(table, "v", equal(4)))
                .isInstanceOf(TrinoException.class)
                .hasMessageContaining(index.getFileName().toString());
    }
}
