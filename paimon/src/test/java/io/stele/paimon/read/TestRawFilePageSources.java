package io.stele.paimon.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.paimon.RandomValues;
import io.stele.paimon.TestingLake;
import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.trino.spi.TrinoException;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.TypeUtils;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that Paimon writes, read by this plugin and, as the oracle, by Paimon. */
class TestRawFilePageSources {
    private static final long SEED = Long.getLong("simulation.seed", 20261128);

    private final CountingLakeFiles files = new CountingLakeFiles();
    private static final long FOOTER_BYTES = 8 << 20;

    private final RawFilePageSources sources = new RawFilePageSources(() -> files, FOOTER_BYTES);
    private TestingLake lake;

    @BeforeEach
    void open(@TempDir Path folder) {
        lake = new TestingLake(folder);
    }

    @AfterEach
    void close() throws Exception {
        lake.close();
    }

    private static Schema.Builder schema(String format) {
        return Schema.newBuilder()
                .option("file.format", format)
                .option("bucket", "-1")
                .option("orc.stripe.size", "65536")
                .option("orc.row.index.stride", "1000")
                .option("orc.bloom.filter.columns", "id,name")
                .option("parquet.block.size", "65536")
                .option("parquet.page.size", "4096")
                .option("parquet.bloom.filter.enabled#id", "true");
    }

    private static List<DataType> allTypes(String format) {
        List<DataType> types = new ArrayList<>();
        types.addAll(
                List.of(
                        DataTypes.BOOLEAN(),
                        DataTypes.TINYINT(),
                        DataTypes.SMALLINT(),
                        DataTypes.INT(),
                        DataTypes.BIGINT(),
                        DataTypes.FLOAT(),
                        DataTypes.DOUBLE(),
                        DataTypes.CHAR(7),
                        DataTypes.VARCHAR(20),
                        DataTypes.STRING(),
                        DataTypes.BYTES(),
                        DataTypes.DECIMAL(5, 2),
                        DataTypes.DECIMAL(18, 9),
                        DataTypes.DECIMAL(38, 10),
                        DataTypes.DATE(),
                        DataTypes.TIME(3)));
        for (int precision = 0; precision <= 9; precision++) {
            types.add(DataTypes.TIMESTAMP(precision));
            types.add(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(precision));
        }
        types.add(DataTypes.ARRAY(DataTypes.STRING()));
        types.add(DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.TIMESTAMP(2)));
        types.add(
                DataTypes.ARRAY(
                        DataTypes.MAP(
                                DataTypes.INT().notNull(),
                                DataTypes.ROW(
                                        DataTypes.FIELD(100, "Deep", DataTypes.TIME(3)),
                                        DataTypes.FIELD(
                                                101,
                                                "list",
                                                DataTypes.ARRAY(DataTypes.DECIMAL(20, 1)))))));
        if (format.equals("parquet")) {
            types.addAll(
                    List.of(
                            DataTypes.BINARY(4),
                            DataTypes.VARBINARY(9),
                            DataTypes.MULTISET(DataTypes.STRING().notNull())));
        }
        return types;
    }

    private static List<GenericRow> rows(long seed, RowType type, int count) {
        RandomValues random = new RandomValues(new Random(seed));
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(random.row(type));
        }
        return rows;
    }

    private void assertSame(FileRowsOracle oracle, int parts) throws Exception {
        int rows = 0;
        for (DataSplit split : oracle.splits()) {
            List<String> expected = oracle.paimon(split);
            assertRows(oracle.natively(split, parts, TupleDomain.all()), expected);
            rows += expected.size();
        }
        assertThat(rows).isPositive();
    }

    /** Of long rows, shows the fields that differ. */
    private static void assertRows(List<String> found, List<String> expected) {
        for (int i = 0; i < Math.min(found.size(), expected.size()); i++) {
            String[] foundFields = found.get(i).split(" \\| ");
            String[] expectedFields = expected.get(i).split(" \\| ");
            for (int field = 0; field < expectedFields.length; field++) {
                assertThat(foundFields[field])
                        .as("row %s, field %s", i, field)
                        .isEqualTo(expectedFields[field]);
            }
        }
        assertThat(found).hasSameSizeAs(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"orc", "parquet"})
    void allTypesAreReadAsPaimonReadsThem(String format) throws Exception {
        Schema.Builder builder = schema(format);
        List<DataType> types = allTypes(format);
        for (int i = 0; i < types.size(); i++) {
            builder.column("C" + i, types.get(i));
        }
        FileStoreTable table = lake.create("d", "all_" + format, builder.build());
        lake.write(table, rows(SEED, table.rowType(), 800), false);
        lake.write(table, rows(SEED + 1, table.rowType(), 100), false);
        assertSame(new FileRowsOracle(table, sources), 1);
        // Each row is in one part, and parts without rows do no harm
        assertSame(new FileRowsOracle(table, sources), 7);
        assertSame(new FileRowsOracle(table, sources, table.schema().fields().reversed()), 1);
        assertThat(
                        new FileRowsOracle(table, sources, List.of())
                                .natively(
                                        new FileRowsOracle(table, sources).splits().get(0),
                                        3,
                                        TupleDomain.all())
                                .size())
                .isEqualTo(900);
    }

    @ParameterizedTest
    @ValueSource(strings = {"orc", "parquet"})
    void columnsEvolve(String format) throws Exception {
        DataType nested =
                DataTypes.ROW(
                        DataTypes.FIELD(0, "x", DataTypes.INT()),
                        DataTypes.FIELD(1, "Y", DataTypes.STRING()),
                        DataTypes.FIELD(2, "z", DataTypes.DOUBLE()));
        FileStoreTable table =
                lake.create(
                        "d",
                        "evolved_" + format,
                        schema(format)
                                .column("tiny", DataTypes.TINYINT())
                                .column("whole", DataTypes.INT())
                                .column("number", DataTypes.INT())
                                .column("single", DataTypes.FLOAT())
                                .column("text", DataTypes.VARCHAR(10))
                                .column("amount", DataTypes.DECIMAL(9, 2))
                                .column("at", DataTypes.TIMESTAMP(3))
                                .column("moment", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))
                                .column("gone", DataTypes.STRING())
                                .column("row", nested)
                                .column("rows", DataTypes.ARRAY(nested))
                                .build());
        lake.write(table, rows(SEED, table.rowType(), 500), false);
        Identifier name = Identifier.create("d", "evolved_" + format);
        String[] x = {"row", "x"};
        lake.catalog()
                .alterTable(
                        name,
                        List.of(
                                SchemaChange.updateColumnType("tiny", DataTypes.BIGINT()),
                                SchemaChange.updateColumnType("whole", DataTypes.DECIMAL(20, 3)),
                                SchemaChange.updateColumnType("number", DataTypes.DOUBLE()),
                                SchemaChange.updateColumnType("single", DataTypes.DOUBLE()),
                                SchemaChange.updateColumnType("text", DataTypes.STRING()),
                                SchemaChange.updateColumnType("amount", DataTypes.DECIMAL(30, 5)),
                                SchemaChange.updateColumnType("at", DataTypes.TIMESTAMP(9)),
                                SchemaChange.updateColumnType(
                                        "moment", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6)),
                                SchemaChange.dropColumn("gone"),
                                SchemaChange.updateColumnType(x, DataTypes.BIGINT(), false),
                                SchemaChange.dropColumn(new String[] {"row", "z"}),
                                SchemaChange.addColumn(
                                        new String[] {"row", "new"}, DataTypes.DATE(), null, null),
                                SchemaChange.renameColumn(
                                        new String[] {"rows", "element", "Y"}, "why"),
                                SchemaChange.renameColumn("text", "words"),
                                SchemaChange.addColumn(
                                        "first",
                                        DataTypes.INT(),
                                        null,
                                        SchemaChange.Move.first("first"))),
                        false);
        FileStoreTable altered = lake.table("d", "evolved_" + format);
        lake.write(altered, rows(SEED + 1, altered.rowType(), 300), false);
        FileRowsOracle oracle = new FileRowsOracle(altered, sources);
        assertSame(oracle, 2);
        // What the file does not have is null, so that the file need not be read
        DataSplit split = oracle.splits().get(0);
        PaimonFileSplit old = oracle.files(split, 1).get(0);
        long requests = files.requests();
        assertThat(
                        oracle.natively(
                                old,
                                TupleDomain.withColumnDomains(
                                        Map.of(
                                                oracle.columns().get(0),
                                                Domain.notNull(oracle.columns().get(0).type())))))
                .isEmpty();
        assertThat(files.requests()).isEqualTo(requests);
        lake.catalog()
                .alterTable(
                        name,
                        List.of(SchemaChange.updateColumnType("words", DataTypes.BYTES())),
                        false);
        FileStoreTable other = lake.table("d", "evolved_" + format);
        assertThat(
                        RawFilePageSources.canRead(
                                format,
                                table.schema(),
                                other.schema(),
                                new FileRowsOracle(other, sources).columns()))
                .isFalse();
    }

    private FileStoreTable keyed(String name, String format, boolean wide, int count)
            throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        name,
                        schema(format)
                                .column("id", DataTypes.INT().notNull())
                                .column("name", DataTypes.STRING())
                                .column("price", DataTypes.DECIMAL(12, 2))
                                .column("at", DataTypes.TIMESTAMP(3))
                                .primaryKey("id")
                                .option("bucket", "1")
                                .option("deletion-vectors.enabled", "true")
                                .option("deletion-vectors.bitmap64", "" + wide)
                                .build());
        RandomValues random = new RandomValues(new Random(SEED));
        List<InternalRow> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            GenericRow row = random.row(table.rowType());
            row.setField(0, i);
            rows.add(row);
        }
        commit(table, rows);
        Random pick = new Random(SEED);
        List<InternalRow> changes = new ArrayList<>();
        Set<Integer> changed = new HashSet<>();
        for (int i = 0; i < count / 10; i++) {
            int id = pick.nextInt(count);
            if (changed.add(id)) {
                GenericRow row = random.row(table.rowType());
                row.setField(0, id);
                row.setRowKind(i % 3 == 0 ? RowKind.DELETE : RowKind.INSERT);
                changes.add(row);
            }
        }
        commit(table, changes);
        return table;
    }

    /** Compacts new rows only: to rewrite all files would leave none with deleted rows. */
    private static void commit(FileStoreTable table, List<InternalRow> rows) throws Exception {
        String user = UUID.randomUUID().toString();
        try (TableWriteImpl<?> write = table.newWrite(user);
                TableCommitImpl commit = table.newCommit(user);
                IOManager disk =
                        IOManager.create(
                                Path.of(table.location().toUri().getPath(), "spill").toString())) {
            write.withIOManager(disk);
            for (InternalRow row : rows) {
                write.write(row);
            }
            write.compact(BinaryRow.EMPTY_ROW, 0, false);
            commit.commit(1, ((StreamTableWrite) write).prepareCommit(true, 1));
        }
    }

    @ParameterizedTest
    @CsvSource({"orc,false", "parquet,false", "orc,true", "parquet,true"})
    void deletedRowsAreLeftOutAlsoWherePartsAreSkipped(String format, boolean wide)
            throws Exception {
        FileStoreTable table = keyed("dv_" + format + wide, format, wide, 12_000);
        FileRowsOracle oracle = new FileRowsOracle(table, sources);
        assertSame(oracle, 3);
        int vectors = 0;
        PaimonColumnHandle id = oracle.columns().get(0);
        for (DataSplit split : oracle.splits()) {
            vectors +=
                    (int)
                            oracle.files(split, 1).stream()
                                    .filter(file -> file.deletions().isPresent())
                                    .count();
            List<String> expected = oracle.paimon(split);
            Random random = new Random(SEED);
            for (int i = 0; i < 20; i++) {
                long low = random.nextInt(12_000);
                long high = low + random.nextInt(300);
                Range range = Range.range(id.type(), low, true, high, true);
                TupleDomain<PaimonColumnHandle> constraint =
                        TupleDomain.withColumnDomains(
                                Map.of(id, Domain.create(ValueSet.ofRanges(range), false)));
                List<String> found = oracle.natively(split, 1, constraint);
                assertThat(within(found, low, high)).isEqualTo(within(expected, low, high));
                assertThat(found.size()).isLessThan(expected.size());
            }
        }
        assertThat(vectors).isPositive();
    }

    private static List<String> within(List<String> rows, long low, long high) {
        return rows.stream()
                .filter(
                        row -> {
                            long id = Long.parseLong(row.substring(0, row.indexOf(' ')));
                            return low <= id && id <= high;
                        })
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void damagedVectorsAreFound(boolean wide) throws Exception {
        FileStoreTable table = keyed("damaged_" + wide, "parquet", wide, 1_000);
        FileRowsOracle oracle = new FileRowsOracle(table, sources);
        DeletionVectorLocation location =
                oracle.splits().stream()
                        .flatMap(split -> oracle.files(split, 1).stream())
                        .flatMap(file -> file.deletions().stream())
                        .findFirst()
                        .orElseThrow();
        byte[] file = files.readFully(location.path());
        assertThat(DeletionVectorFiles.decode(file, location).isEmpty()).isFalse();
        long end = location.offset() + location.length() + (wide ? 0 : 8);
        for (int i = (int) location.offset(); i < end; i++) {
            byte[] damaged = file.clone();
            damaged[i] ^= (byte) (1 << (i % 8));
            assertThatThrownBy(() -> DeletionVectorFiles.decode(damaged, location))
                    .isInstanceOf(TrinoException.class)
                    .hasMessageMatching("Expected .+ found .+ in .+ at offset .+");
        }
        assertThatThrownBy(
                        () ->
                                DeletionVectorFiles.decode(
                                        java.util.Arrays.copyOf(file, (int) end - 1), location))
                .isInstanceOf(TrinoException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"orc", "parquet"})
    void pruningLosesNoRow(String format) throws Exception {
        Schema.Builder builder = schema(format);
        List<DataType> types = allTypes(format);
        for (int i = 0; i < types.size(); i++) {
            builder.column("c" + i, types.get(i));
        }
        FileStoreTable table = lake.create("d", "pruned_" + format, builder.build());
        lake.write(table, rows(SEED, table.rowType(), 300), false);
        RandomValues random = new RandomValues(new Random(SEED + 2));
        for (DataField field : table.schema().fields()) {
            FileRowsOracle oracle = new FileRowsOracle(table, sources, List.of(field));
            PaimonColumnHandle column = oracle.columns().get(0);
            if (!column.type().getTypeParameters().isEmpty()) {
                continue;
            }
            DataSplit split = oracle.splits().get(0);
            List<String> expected = oracle.paimon(split);
            for (int i = 0; i < 4; i++) {
                Domain domain = domain(column, field.type(), random, i);
                List<String> found =
                        oracle.natively(
                                split, 1, TupleDomain.withColumnDomains(Map.of(column, domain)));
                Map<String, Integer> counts = new HashMap<>();
                found.forEach(row -> counts.merge(row, 1, Integer::sum));
                oracle.paimon(split, domain).forEach(row -> counts.merge(row, -1, Integer::sum));
                assertThat(counts.values()).as(column + " " + domain).allMatch(count -> count >= 0);
                assertThat(found.size()).isLessThanOrEqualTo(expected.size());
            }
        }
    }

    private static Domain domain(
            PaimonColumnHandle column, DataType type, RandomValues random, int form) {
        if (form == 0) {
            return Domain.onlyNull(column.type());
        }
        Object value =
                io.stele.paimon.type.InternalRowBlocks.toNative(
                        type, column.type(), random.value(type));
        if (TypeUtils.isFloatingPointNaN(column.type(), value)) {
            return Domain.notNull(column.type());
        }
        return switch (form) {
            case 1 -> Domain.singleValue(column.type(), value);
            case 2 -> Domain.create(ValueSet.ofRanges(Range.lessThan(column.type(), value)), true);
            default ->
                    Domain.create(
                            ValueSet.ofRanges(Range.greaterThanOrEqual(column.type(), value)),
                            false);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"orc", "parquet"})
    void coldScanNeedsFewRounds(String format) throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        "cold_" + format,
                        Schema.newBuilder()
                                .option("file.format", format)
                                .option("bucket", "-1")
                                .column("id", DataTypes.BIGINT())
                                .column("noise", DataTypes.BYTES())
                                .column("name", DataTypes.STRING())
                                .column("other", DataTypes.BIGINT())
                                .build());
        List<GenericRow> rows = new ArrayList<>();
        Random random = new Random(SEED);
        for (int i = 0; i < 30_000; i++) {
            byte[] noise = new byte[100];
            random.nextBytes(noise);
            rows.add(
                    GenericRow.of(
                            (long) i,
                            noise,
                            BinaryString.fromString("n" + random.nextLong()),
                            random.nextLong()));
        }
        lake.write(table, rows, false);
        List<DataField> fields = table.schema().fields();
        FileRowsOracle oracle =
                new FileRowsOracle(table, sources, List.of(fields.get(0), fields.get(3)));
        PaimonFileSplit split = oracle.files(oracle.splits().get(0), 1).get(0);
        assertThat(split.fileSize()).isGreaterThan(OpeningRows.SMALL_FILE_BYTES);
        assertThat(oracle.natively(split, TupleDomain.all())).hasSize(30_000);
        assertThat(files.rounds()).isEqualTo(format.equals("orc") ? 3 : 2);
        assertThat(files.requests()).isEqualTo(format.equals("orc") ? 4 : 3);
        long before = files.rounds();
        assertThat(oracle.natively(split, TupleDomain.all())).hasSize(30_000);
        // The footer is cached
        assertThat(files.rounds() - before).isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"orc", "parquet"})
    void damagedAndMissingFilesAreNamed(String format) throws Exception {
        FileStoreTable table =
                lake.create(
                        "d",
                        "bad_" + format,
                        schema(format)
                                .column("id", DataTypes.INT())
                                .column("name", DataTypes.STRING())
                                .build());
        lake.write(table, rows(SEED, table.rowType(), 200), false);
        FileRowsOracle oracle = new FileRowsOracle(table, sources);
        PaimonFileSplit split = oracle.files(oracle.splits().get(0), 1).get(0);
        Path path =
                Path.of(
                        split.path().startsWith("file:")
                                ? split.path().substring(5)
                                : split.path());
        byte[] good = Files.readAllBytes(path);
        List<String> expected = oracle.natively(split, TupleDomain.all());
        int refused = 0;
        for (int i = 0; i < good.length; i += 61) {
            byte[] damaged = good.clone();
            damaged[i] ^= (byte) 0x55;
            Files.write(path, damaged);
            FileRowsOracle fresh =
                    new FileRowsOracle(table, new RawFilePageSources(() -> files, FOOTER_BYTES));
            List<String> rows;
            try {
                rows = fresh.natively(split, TupleDomain.all());
            } catch (TrinoException e) {
                assertThat(e).hasMessageContaining(path.getFileName().toString());
                refused++;
                continue;
            }
            if (!rows.equals(expected)) {
                // Neither format has a checksum of values that readers verify: a value may be
                // another one, but only where values are, and no row may be added or lost
                assertThat(i)
                        .as("a byte that changes values, of %s", good.length)
                        .isLessThan(endOfValues(format, good));
                assertThat(rows).as("byte %s of %s", i, good.length).hasSameSizeAs(expected);
            }
        }
        assertThat(refused).as("damages that were found").isPositive();
        Files.write(path, java.util.Arrays.copyOf(good, good.length - 20));
        assertThatThrownBy(
                        () ->
                                new FileRowsOracle(
                                                table,
                                                new RawFilePageSources(() -> files, FOOTER_BYTES))
                                        .natively(split, TupleDomain.all()))
                .isInstanceOf(TrinoException.class)
                .hasMessageContaining(path.getFileName().toString());
        Files.delete(path);
        assertThatThrownBy(() -> oracle.natively(split, TupleDomain.all()))
                .isInstanceOf(TrinoException.class)
                .hasMessageContaining(path.getFileName().toString())
                .hasMessageContaining("expired");
    }

    /** Where the footer begins. */
    private static int endOfValues(String format, byte[] file) {
        if (format.equals("parquet")) {
            int length =
                    ByteBuffer.wrap(file)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getInt(file.length - 2 * Integer.BYTES);
            return file.length - 2 * Integer.BYTES - length;
        }
        int postScript = file.length - 1 - (file[file.length - 1] & 0xff);
        // Field 1, the length of the footer, as a number of 7 bits a byte
        assertThat(file[postScript]).isEqualTo((byte) 8);
        int length = 0;
        int at = postScript;
        do {
            at++;
            length |= (file[at] & 0x7f) << 7 * (at - postScript - 1);
        } while (file[at] < 0);
        return postScript - length;
    }

    @Test
    void otherFormatsAreLeftToPaimon() throws Exception {
        FileStoreTable table =
                lake.create("d", "avro", schema("avro").column("id", DataTypes.INT()).build());
        assertThat(
                        RawFilePageSources.canRead(
                                "avro",
                                table.schema(),
                                table.schema(),
                                new FileRowsOracle(table, sources).columns()))
                .isFalse();
    }
}
