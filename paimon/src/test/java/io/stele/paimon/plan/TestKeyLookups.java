package io.stele.paimon.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.paimon.TestingLake;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.handle.PaimonMergedSplit;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.read.CountingLakeFiles;
import io.stele.paimon.read.DataFiles;
import io.stele.paimon.read.DelayingLakeFiles;
import io.stele.paimon.read.FileRowsOracle;
import io.stele.paimon.read.RawFilePageSources;
import io.stele.paimon.read.SortedFilePageSources;
import io.stele.paimon.type.DomainPredicates;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lookups by key, in rounds of requests and in time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TestKeyLookups {
    private static final int ROWS = Integer.getInteger("paimon.lookup.rows", 60_000);
    private static final long CACHE_BYTES = 64 << 20;

    private final TableSchemas schemas = new TableSchemas(1 << 20);
    private TestingLake lake;

    @BeforeAll
    void open(@TempDir Path folder) throws Exception {
        lake = new TestingLake(folder);
        for (String format : List.of("orc", "parquet")) {
            for (boolean isOverlapping : List.of(false, true)) {
                create(format, isOverlapping);
            }
        }
    }

    @AfterAll
    void close() throws Exception {
        lake.close();
    }

    private static String name(String format, boolean isOverlapping) {
        return format + (isOverlapping ? "_overlapping" : "_compacted");
    }

    /** One large compacted file, and with overlapping ones two that replace a part of it. */
    private void create(String format, boolean isOverlapping) throws Exception {
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("id", DataTypes.BIGINT().notNull())
                        .primaryKey("id")
                        .option("bucket", "1")
                        .option("file.format", format)
                        .option("file.compression", "zstd")
                        // So that a file of this size has many row groups and blocks
                        .option("orc.compress.size", "16384")
                        .option("orc.row.index.stride", "2000")
                        // As of keys of large files, which do not fit into a dictionary
                        .option("parquet.enable.dictionary", "false")
                        .option("num-sorted-run.compaction-trigger", "20");
        for (int column = 0; column < 9; column++) {
            schema.column("c" + column, column % 3 == 0 ? DataTypes.STRING() : DataTypes.BIGINT());
        }
        FileStoreTable table = lake.create("d", name(format, isOverlapping), schema.build());
        lake.write(table, rows(0, 1), true);
        if (isOverlapping) {
            lake.write(table, rows(1, 2), false);
            lake.write(table, rows(2, 3), false);
        }
    }

    private static List<GenericRow> rows(int version, int step) {
        Random random = new Random(version);
        List<GenericRow> rows = new ArrayList<>();
        for (int id = 0; id < ROWS; id += step) {
            GenericRow row = new GenericRow(10);
            row.setField(0, id * 3L);
            for (int column = 0; column < 9; column++) {
                row.setField(
                        1 + column,
                        column % 3 == 0
                                ? BinaryString.fromString(
                                        version + "-" + Long.toString(random.nextLong(), 36))
                                : random.nextLong());
            }
            rows.add(row);
        }
        return rows;
    }

    /** The splits of a scan with a condition on the key. */
    private List<ConnectorSplit> splits(
            FileStoreTable table, TupleDomain<PaimonColumnHandle> wanted) {
        SplitCollector collector = new SplitCollector(64 << 20, new NativeReading(table, schemas));
        for (Split split :
                table.newReadBuilder()
                        .withFilter(DomainPredicates.of(wanted, table.rowType()).orElseThrow())
                        .newScan()
                        .plan()
                        .splits()) {
            collector.add((DataSplit) split);
        }
        return collector.scan().splits();
    }

    private List<String> rows(
            FileStoreTable table,
            DataFiles files,
            List<ConnectorSplit> splits,
            TupleDomain<PaimonColumnHandle> wanted)
            throws Exception {
        FileRowsOracle oracle = new FileRowsOracle(table, new RawFilePageSources(files));
        List<String> rows = new ArrayList<>();
        for (ConnectorSplit split : splits) {
            try (ConnectorPageSource source = open(table, files, split, oracle, wanted)) {
                rows.addAll(oracle.rows(source));
            }
        }
        return rows;
    }

    private ConnectorPageSource open(
            FileStoreTable table,
            DataFiles files,
            ConnectorSplit split,
            FileRowsOracle oracle,
            TupleDomain<PaimonColumnHandle> wanted) {
        return switch (split) {
            case PaimonFileSplit file ->
                    new RawFilePageSources(files)
                            .open(
                                    schemas.schema(table, file.schemaId()),
                                    table.schema(),
                                    file,
                                    oracle.columns(),
                                    wanted,
                                    MemoryContext.NO_LIMIT);
            case PaimonMergedSplit sorted ->
                    new SortedFilePageSources(files)
                            .open(
                                    table,
                                    id -> schemas.schema(table, id),
                                    sorted,
                                    oracle.columns(),
                                    wanted,
                                    MemoryContext.NO_LIMIT);
            default -> throw new AssertionError("Left to Paimon: " + split);
        };
    }

    private static TupleDomain<PaimonColumnHandle> keys(
            FileStoreTable table, DataFiles files, Long... keys) {
        PaimonColumnHandle id =
                new FileRowsOracle(table, new RawFilePageSources(files)).columns().get(0);
        return TupleDomain.withColumnDomains(
                Map.of(id, Domain.multipleValues(id.type(), List.of(keys))));
    }

    @ParameterizedTest
    @CsvSource({
        "orc, false, 3", "orc, true, 3",
        "parquet, false, 2", "parquet, true, 2"
    })
    void lookupNeedsFewRounds(String format, boolean isOverlapping, int coldRounds)
            throws Exception {
        FileStoreTable table = lake.table("d", name(format, isOverlapping));
        CountingLakeFiles store = new CountingLakeFiles();
        DataFiles files = new DataFiles(() -> store, CACHE_BYTES, Runnable::run);
        Random random = new Random(7);
        for (int i = 0; i < 20; i++) {
            long key = random.nextInt(ROWS) * 3L;
            TupleDomain<PaimonColumnHandle> wanted = keys(table, files, key);
            List<ConnectorSplit> splits = splits(table, wanted);
            // One split, so that nothing waits for another to be scheduled
            assertThat(splits).hasSize(1);
            long roundsBefore = store.rounds();
            long bytesBefore = store.bytes();
            List<String> rows = rows(table, files, splits, wanted);
            assertThat(rows.stream().filter(row -> row.startsWith(key + " |")))
                    .as("key %s", key)
                    .hasSize(1);
            // The metadata of all files is known after the first lookup of each
            long rounds = store.rounds() - roundsBefore;
            assertThat(rounds).as("lookup %s", i).isLessThanOrEqualTo(i == 0 ? coldRounds : 1);
            // Files of Parquet of up to a megabyte are one request, whole
            if (i > 0 && format.equals("orc")) {
                assertThat(store.bytes() - bytesBefore).isLessThan(size(splits) / 2);
            }
        }
    }

    private static long size(List<ConnectorSplit> splits) {
        return splits.stream()
                .mapToLong(
                        split ->
                                split instanceof PaimonMergedSplit sorted
                                        ? sorted.sections().stream()
                                                .flatMap(section -> section.runs().stream())
                                                .flatMap(List::stream)
                                                .mapToLong(file -> file.size())
                                                .sum()
                                        : ((PaimonFileSplit) split).fileSize())
                .sum();
    }

    @Test
    void severalKeysNeedNoMoreRounds() throws Exception {
        FileStoreTable table = lake.table("d", name("orc", true));
        CountingLakeFiles store = new CountingLakeFiles();
        DataFiles files = new DataFiles(() -> store, CACHE_BYTES, Runnable::run);
        TupleDomain<PaimonColumnHandle> wanted =
                keys(table, files, 3L, ROWS * 3L / 2, ROWS * 3L - 3);
        List<ConnectorSplit> splits = splits(table, wanted);
        rows(table, files, splits, wanted);
        assertThat(store.rounds()).isLessThanOrEqualTo(3);
        long before = store.rounds();
        rows(table, files, splits, wanted);
        assertThat(store.rounds() - before).isEqualTo(1);
    }

    @Test
    void lookupsAreFast() throws Exception {
        for (boolean isOverlapping : List.of(false, true)) {
            FileStoreTable table = lake.table("d", name("orc", isOverlapping));
            DelayingLakeFiles remote = new DelayingLakeFiles(15);
            DelayingLakeFiles local = new DelayingLakeFiles(0);
            DataFiles warm = new DataFiles(() -> local, CACHE_BYTES, Runnable::run);
            Random random = new Random(7);
            long coldNanos = Long.MAX_VALUE;
            long warmNanos = Long.MAX_VALUE;
            for (int i = 0; i < 300; i++) {
                long key = random.nextInt(ROWS) * 3L;
                TupleDomain<PaimonColumnHandle> wanted = keys(table, warm, key);
                List<ConnectorSplit> splits = splits(table, wanted);
                warmNanos = Math.min(warmNanos, nanos(table, warm, splits, wanted));
                if (i % 15 == 0) {
                    coldNanos =
                            Math.min(
                                    coldNanos,
                                    nanos(
                                            table,
                                            new DataFiles(() -> remote, CACHE_BYTES, Runnable::run),
                                            splits,
                                            wanted));
                }
            }
            System.out.printf(
                    "Lookup of %s: cold with 15 ms a request %.1f ms, warm %.2f ms%n",
                    table.name(), coldNanos / 1e6, warmNanos / 1e6);
            // Three rounds, and what they bring decoded at the speed that this machine has now
            assertThat(coldNanos / 1e6).isLessThanOrEqualTo(3 * 15 + 15 + 5 * warmNanos / 1e6);
        }
    }

    private long nanos(
            FileStoreTable table,
            DataFiles files,
            List<ConnectorSplit> splits,
            TupleDomain<PaimonColumnHandle> wanted)
            throws Exception {
        long begin = System.nanoTime();
        FileRowsOracle oracle = new FileRowsOracle(table, new RawFilePageSources(files));
        for (ConnectorSplit split : splits) {
            try (ConnectorPageSource source = open(table, files, split, oracle, wanted)) {
                while (!source.isFinished()) {
                    var page = source.getNextSourcePage();
                    if (page != null) {
                        page.getPage();
                    }
                }
            }
        }
        return System.nanoTime() - begin;
    }
}
