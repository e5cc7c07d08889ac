package io.stele.paimon.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.paimon.RandomValues;
import io.stele.paimon.TestingLake;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonMergedSplit;
import io.stele.paimon.handle.SortedSection;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.read.CountingLakeFiles;
import io.stele.paimon.read.DataFiles;
import io.stele.paimon.read.FileRowsOracle;
import io.stele.paimon.read.RawFilePageSources;
import io.stele.paimon.read.SortedFilePageSources;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyFileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows of files whose keys overlap, merged by this plugin and, as the oracle, by Paimon. */
class TestSortedSplits {
    private static final int SEEDS = Integer.getInteger("paimon.seeds", 12);

    private final CountingLakeFiles files = new CountingLakeFiles();
    private final DataFiles dataFiles = new DataFiles(() -> files, 8 << 20, Runnable::run);
    private final RawFilePageSources raw = new RawFilePageSources(dataFiles);
    private final SortedFilePageSources sorted = new SortedFilePageSources(dataFiles);
    private final TableSchemas schemas = new TableSchemas(1 << 20);
    private TestingLake lake;

    @BeforeEach
    void open(@TempDir Path folder) {
        lake = new TestingLake(folder);
    }

    @AfterEach
    void close() throws Exception {
        lake.close();
    }

    static LongStream seeds() {
        Long one = Long.getLong("simulation.seed");
        return one == null ? LongStream.range(0, SEEDS) : LongStream.of(one);
    }

    private static Schema.Builder schema(String format) {
        return Schema.newBuilder()
                .option("file.format", format)
                .option("bucket", "1")
                .option("orc.row.index.stride", "1000")
                .option("orc.stripe.size", "65536")
                .option("parquet.block.size", "65536")
                .option("parquet.page.size", "4096")
                .option("write-only", "true");
    }

    private static List<SortedSection> sections(FileStoreTable table, DataSplit split) {
        return SplitSection.overlapping(
                        split, ((PrimaryKeyFileStoreTable) table).store().newKeyComparator(), true)
                .stream()
                .map(SplitSection::section)
                .toList();
    }

    private ConnectorPageSource open(
            FileStoreTable table,
            DataSplit split,
            List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> constraint) {
        return sorted.open(
                table,
                id -> schemas.schema(table, id),
                new PaimonMergedSplit(
                        sections(table, split), split.bucketPath(), SplitWeight.standard()),
                columns,
                constraint,
                MemoryContext.NO_LIMIT);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void rowsAreThoseOfPaimon(long seed) throws Exception {
        Random random = new Random(seed);
        RandomValues values = new RandomValues(random);
        boolean isDeleting = random.nextInt(3) > 0;
        FileStoreTable table = randomTable(seed, random);
        int keyCount = 20 + random.nextInt(4_000);
        int commits = 2 + random.nextInt(5);
        for (int commit = 0; commit < commits; commit++) {
            lake.write(table, rows(random, values, table, keyCount, isDeleting), false);
            if (random.nextInt(4) == 0) {
                FileStoreTable compacting = table.copy(Map.of("write-only", "false"));
                lake.write(compacting, rows(random, values, table, keyCount, isDeleting), true);
            }
        }
        // So that something overlaps
        for (int commit = 0; commit < 2; commit++) {
            lake.write(table, rows(random, values, table, 0, keyCount, isDeleting), false);
        }
        List<DataField> fields = new ArrayList<>(table.schema().fields());
        Collections.shuffle(fields, random);
        int overlapping = 0;
        // With all columns, with some, and with none
        for (int count : new int[] {fields.size(), random.nextInt(fields.size() + 1), 0}) {
            List<DataField> wanted = fields.subList(0, count);
            FileRowsOracle oracle = new FileRowsOracle(table, raw, wanted);
            for (DataSplit split : oracle.splits()) {
                List<String> expected = oracle.paimon(split);
                try (ConnectorPageSource source =
                        open(table, split, oracle.columns(), TupleDomain.all())) {
                    assertThat(oracle.rows(source))
                            .as("seed %s, %s, %s", seed, wanted, table.options())
                            .isEqualTo(expected);
                }
                overlapping +=
                        sections(table, split).stream()
                                .filter(section -> section.runs().size() > 1)
                                .toList()
                                .size();
            }
        }
        assertThat(overlapping).as("seed %s", seed).isPositive();
        filter(seed, random, table);
    }

    private FileStoreTable randomTable(long seed, Random random) throws Exception {
        DataType key =
                switch (random.nextInt(5)) {
                    case 0 -> DataTypes.BIGINT().notNull();
                    case 1 -> DataTypes.VARCHAR(40).notNull();
                    case 2 -> DataTypes.DECIMAL(22, 2).notNull();
                    case 3 -> DataTypes.TIMESTAMP(9).notNull();
                    default -> DataTypes.INT().notNull();
                };
        Schema.Builder schema = schema(random.nextBoolean() ? "orc" : "parquet");
        schema.column("a", DataTypes.STRING()).column("k", key);
        boolean isComposite = random.nextBoolean();
        schema.column("k2", isComposite ? DataTypes.INT().notNull() : DataTypes.INT());
        schema.column("v", DataTypes.INT()).column("w", DataTypes.STRING());
        schema.column("s", DataTypes.SMALLINT()).column("t", DataTypes.TIMESTAMP(3));
        schema.column("list", DataTypes.ARRAY(DataTypes.INT()));
        schema.primaryKey(isComposite ? List.of("k", "k2") : List.of("k"));
        switch (random.nextInt(4)) {
            case 0 -> {
                schema.option("merge-engine", "partial-update");
                schema.option(
                        random.nextBoolean()
                                ? "ignore-delete"
                                : "partial-update.remove-record-on-delete",
                        "true");
            }
            case 1 -> {
                schema.option("merge-engine", "deduplicate");
                if (random.nextBoolean()) {
                    schema.option("changelog-producer", "lookup");
                }
                schema.option("ignore-delete", "" + random.nextBoolean());
            }
            default -> {
                schema.option("sequence.field", random.nextBoolean() ? "s" : "s,t");
                schema.option(
                        "sequence.field.sort-order",
                        random.nextBoolean() ? "ascending" : "descending");
            }
        }
        schema.option("data-file.thin-mode", "" + random.nextBoolean());
        return lake.create("d", "t" + seed, schema.build());
    }

    /** Rows of a part of the keys, so that ranges of files overlap in parts. */
    private static List<GenericRow> rows(
            Random random,
            RandomValues values,
            FileStoreTable table,
            int keyCount,
            boolean isDeleting) {
        int first = random.nextInt(keyCount);
        int last = Math.min(keyCount, first + 1 + random.nextInt(keyCount));
        return rows(random, values, table, first, last, isDeleting);
    }

    private static List<GenericRow> rows(
            Random random,
            RandomValues values,
            FileStoreTable table,
            int first,
            int last,
            boolean isDeleting) {
        int step = 1 + random.nextInt(3) * random.nextInt(20);
        List<GenericRow> rows = new ArrayList<>();
        for (int key = first; key < last; key += step) {
            GenericRow row = values.row(table.rowType());
            row.setField(1, KeyValues.of(table.rowType().getTypeAt(1), key));
            row.setField(2, key % 3);
            if (isDeleting && random.nextInt(5) == 0) {
                row.setRowKind(RowKind.DELETE);
            }
            rows.add(row);
        }
        return rows;
    }

    /** A condition, once it is also applied to the result, gives the rows that satisfy it. */
    private void filter(long seed, Random random, FileStoreTable table) throws Exception {
        FileRowsOracle oracle = new FileRowsOracle(table, raw);
        int valueIndex = 3;
        int keyIndex = 2;
        PaimonColumnHandle value = oracle.columns().get(valueIndex);
        PaimonColumnHandle key = oracle.columns().get(keyIndex);
        int bound = random.nextInt(80);
        List<Condition> conditions =
                List.of(
                        new Condition(
                                Map.of(value, below(value, bound)),
                                row ->
                                        !field(row, valueIndex).equals("null")
                                                && Integer.parseInt(field(row, valueIndex))
                                                        < bound),
                        new Condition(
                                Map.of(value, Domain.onlyNull(value.type())),
                                row -> field(row, valueIndex).equals("null")),
                        new Condition(
                                Map.of(key, Domain.singleValue(key.type(), bound % 3L)),
                                row -> field(row, keyIndex).equals("" + bound % 3)));
        for (Condition condition : conditions) {
            for (DataSplit split : oracle.splits()) {
                List<String> all = oracle.paimon(split);
                try (ConnectorPageSource source =
                        open(
                                table,
                                split,
                                oracle.columns(),
                                TupleDomain.withColumnDomains(condition.domains()))) {
                    assertThat(oracle.rows(source).stream().filter(condition.rows()).toList())
                            .as("seed %s, %s", seed, condition.domains())
                            .isEqualTo(all.stream().filter(condition.rows()).toList());
                }
            }
        }
    }

    private record Condition(Map<PaimonColumnHandle, Domain> domains, Predicate<String> rows) {}

    private static String field(String row, int index) {
        return row.split(" \\| ", -1)[index];
    }

    private static Domain below(PaimonColumnHandle column, long bound) {
        return Domain.create(ValueSet.ofRanges(Range.lessThan(column.type(), bound)), false);
    }

    /**
     * All rows of a first commit satisfy a condition, and none of the second, which replaces them:
     * statistics alone would leave the second file out.
     */
    @Test
    void conditionOnAValueIsAppliedAfterTheMerge() throws Exception {
        for (String format : List.of("orc", "parquet")) {
            FileStoreTable table =
                    lake.create(
                            "d",
                            "replaced_" + format,
                            schema(format)
                                    .column("id", DataTypes.INT().notNull())
                                    .column("v", DataTypes.INT())
                                    .primaryKey("id")
                                    .build());
            for (int value : new int[] {1, 100}) {
                List<GenericRow> rows = new ArrayList<>();
                for (int id = 0; id < 5_000; id++) {
                    rows.add(GenericRow.of(id, value));
                }
                lake.write(table, rows, false);
            }
            FileRowsOracle oracle = new FileRowsOracle(table, raw);
            DataSplit split = oracle.splits().get(0);
            PaimonColumnHandle value = oracle.columns().get(1);
            try (ConnectorPageSource source =
                    open(
                            table,
                            split,
                            oracle.columns(),
                            TupleDomain.withColumnDomains(Map.of(value, below(value, 10))))) {
                assertThat(oracle.rows(source)).noneMatch(row -> row.endsWith("| 1"));
            }
        }
    }

    /** A condition on the key leaves row groups of all files out. */
    @Test
    void conditionOnTheKeyPrunesBeforeTheMerge() throws Exception {
        for (String format : List.of("orc", "parquet")) {
            FileStoreTable table =
                    lake.create(
                            "d",
                            "pruned_" + format,
                            schema(format)
                                    .column("id", DataTypes.INT().notNull())
                                    .column("v", DataTypes.INT())
                                    .primaryKey("id")
                                    .build());
            for (int commit = 0; commit < 3; commit++) {
                List<GenericRow> rows = new ArrayList<>();
                for (int id = 0; id < 20_000; id++) {
                    rows.add(GenericRow.of(id, commit));
                }
                lake.write(table, rows, false);
            }
            FileRowsOracle oracle = new FileRowsOracle(table, raw);
            DataSplit split = oracle.splits().get(0);
            PaimonColumnHandle id = oracle.columns().get(0);
            try (ConnectorPageSource source =
                    open(
                            table,
                            split,
                            oracle.columns(),
                            TupleDomain.withColumnDomains(
                                    Map.of(id, Domain.singleValue(id.type(), 7_777L))))) {
                assertThat(oracle.rows(source)).contains("7777 | 2").hasSizeLessThan(20_000);
                assertThat(source.getCompletedPositions().orElseThrow()).isLessThan(60_000 / 2);
            }
        }
    }
}
