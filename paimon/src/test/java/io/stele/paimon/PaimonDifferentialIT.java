package io.stele.paimon;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.testing.QueryRunner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random tables of all kinds, written by Paimon's library, whose rows through this connector are
 * those of Paimon's own reader after each change. {@code -Dsimulation.seed=N} replays one, {@code
 * -Dpaimon.seeds=N} runs more.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PaimonDifferentialIT {
    private static final int SEEDS = Integer.getInteger("paimon.seeds", 6);
    private static final int STEPS = 8;

    private static final Pattern MERGES =
            Pattern.compile("'splits merged natively' = LongCount\\{total=(\\d+)");

    private Path folder;
    private TestingLake lake;
    private QueryRunner trino;
    private final Set<Long> merging = new HashSet<>(); // seeds

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        this.folder = folder;
        lake = new TestingLake(folder);
        trino = TestingTrino.over(folder);
    }

    @AfterAll
    void stop() throws Exception {
        boolean isOneSeed = Long.getLong("simulation.seed") != null;
        // A third of the tables have no key, and others deletion vectors or functions
        assertThat(isOneSeed || merging.size() >= SEEDS / 5)
                .as("seeds with splits that this plugin merged: %s of %s", merging, SEEDS)
                .isTrue();
        trino.close();
        lake.close();
    }

    static LongStream seeds() {
        Long one = Long.getLong("simulation.seed");
        return one == null ? LongStream.range(0, SEEDS) : LongStream.of(one);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void rowsAreThoseOfPaimon(long seed) throws Exception {
        new Run(seed).run();
    }

    /** One random table. */
    private final class Run {
        private final long seed;
        private final RandomGenerator random;
        private final RandomValues values;
        private final String name;
        private final String format;
        private final boolean isMerging; // by this plugin, for sure
        private boolean keyed;
        private boolean deletes;
        private boolean dynamic;
        private int added;
        private final Map<String, List<String>> tags = new LinkedHashMap<>();

        Run(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.values = new RandomValues(random);
            this.name = "t" + seed;
            List<String> formats = List.of("orc", "parquet", "orc", "parquet", "avro");
            this.isMerging = seed % 2 == 0;
            this.format = formats.get(random.nextInt(isMerging ? 4 : formats.size()));
        }

        /** A type that Paimon writes in the table's format. */
        private DataType type(int depth) {
            DataType type = values.type(depth);
            boolean refused = format.equals("avro") && type.asSQLString().contains("(9)");
            return refused ? DataTypes.STRING() : type;
        }

        void run() throws Exception {
            create();
            compare();
            for (int i = 0; i < STEPS; i++) {
                change();
                compare();
                filter();
                travel();
            }
            tags.forEach(
                    (tag, rows) ->
                            assertThat(
                                            query(
                                                    "SELECT * FROM %s FOR VERSION AS OF '%s'"
                                                            .formatted(name, tag)))
                                    .as("seed %s, %s", seed, tag)
                                    .containsExactlyInAnyOrderElementsOf(rows));
            cold();
        }

        /** The same by a catalog that knows nothing of the table yet. */
        private void cold() throws Exception {
            FileStoreTable table = lake.table("d", name);
            String catalog = "cold" + seed;
            trino.createCatalog(
                    catalog, "stele_paimon", Map.of("stele.paimon.warehouse", folder.toString()));
            assertThat(query("SELECT * FROM %s.d.%s".formatted(catalog, name)))
                    .as("seed %s, cold", seed)
                    .containsExactlyInAnyOrderElementsOf(TestingLake.rows(table));
            trino.execute("DROP CATALOG " + catalog);
        }

        private void create() throws Exception {
            keyed = random.nextInt(3) > 0 || isMerging;
            boolean partitioned = random.nextInt(3) == 0;
            Schema.Builder schema =
                    Schema.newBuilder()
                            .column("id", DataTypes.INT().notNull())
                            .column("part", DataTypes.INT().notNull());
            int columns = 1 + random.nextInt(6);
            for (int i = 0; i < columns; i++) {
                schema.column("c" + i, type(keyed ? 1 : 2));
            }
            schema.option("file.format", format);
            schema.option(
                    "manifest.format",
                    List.of("avro", "avro", "orc", "parquet").get(random.nextInt(4)));
            if (partitioned) {
                schema.partitionKeys("part");
            }
            if (keyed) {
                schema.primaryKey(partitioned ? List.of("id", "part") : List.of("id"));
                dynamic = random.nextInt(4) == 0;
                schema.option("bucket", dynamic ? "-1" : "" + (1 + random.nextInt(3)));
                // 1 is partial-update, and 7 deduplicate
                switch (isMerging ? 1 + 6 * random.nextInt(2) : random.nextInt(8)) {
                    case 0 -> schema.option("merge-engine", "first-row");
                    case 1 -> partialUpdate(schema);
                    case 2 -> {
                        schema.option("merge-engine", "aggregation");
                        schema.option("fields.default-aggregate-function", "last_non_null_value");
                    }
                    default -> {
                        deletes = true;
                        deduplicate(schema);
                    }
                }
            } else if (random.nextBoolean()) {
                schema.option("bucket", "2").option("bucket-key", "id");
            }
            if (random.nextInt(3) == 0) {
                String index =
                        List.of("bloom-filter", "bitmap", "bsi", "range-bitmap")
                                .get(random.nextInt(4));
                schema.option("file-index.%s.columns".formatted(index), "id,part");
                // In files of their own, or in the manifest
                schema.option(
                        "file-index.in-manifest-threshold", random.nextBoolean() ? "1B" : "1MB");
            }
            lake.create("d", name, schema.build());
        }

        private void partialUpdate(Schema.Builder schema) {
            schema.option("merge-engine", "partial-update");
            switch (random.nextInt(4)) {
                case 0 -> {
                    schema.option("ignore-delete", "true");
                    deletes = true;
                }
                case 1 -> {
                    schema.option("partial-update.remove-record-on-delete", "true");
                    deletes = true;
                }
                case 2 -> schema.option("changelog-producer", "lookup");
                default -> {}
            }
        }

        private void deduplicate(Schema.Builder schema) {
            if (random.nextInt(2) == 0 && !isMerging) {
                schema.option("deletion-vectors.enabled", "true");
                return;
            }
            switch (random.nextInt(5)) {
                case 2 -> schema.option("changelog-producer", "full-compaction");
                case 0 -> schema.option("changelog-producer", "input");
                case 1 -> schema.option("changelog-producer", "lookup");
                default -> {}
            }
            if (random.nextBoolean()) {
                schema.column("s0", sequenceType()).column("s1", sequenceType());
                schema.option("sequence.field", random.nextBoolean() ? "s0" : "s1,s0");
                schema.option(
                        "sequence.field.sort-order",
                        random.nextInt(3) == 0 ? "descending" : "ascending");
            }
            if (random.nextInt(4) == 0) {
                schema.option("ignore-delete", "true");
            }
            if (random.nextInt(4) == 0) {
                schema.option("data-file.thin-mode", "true");
            }
        }

        private DataType sequenceType() {
            return switch (random.nextInt(5)) {
                case 0 -> DataTypes.TINYINT();
                case 1 -> DataTypes.DECIMAL(25, 3);
                case 2 -> DataTypes.STRING();
                case 3 -> DataTypes.TIMESTAMP(format.equals("avro") ? 3 : 9);
                default -> DataTypes.BOOLEAN();
            };
        }

        private void change() throws Exception {
            FileStoreTable table = lake.table("d", name);
            switch (random.nextInt(14)) {
                case 0 -> alter(table);
                case 2 -> expire(table);
                case 3 -> tag(table);
                case 1 -> {
                    if (!dynamic) {
                        lake.overwrite(table, rows(table, 1 + random.nextInt(20)));
                    }
                }
                default -> {
                    boolean compact = keyed && random.nextInt(5) == 0;
                    List<GenericRow> rows = rows(table, 1 + random.nextInt(60));
                    if (dynamic) {
                        lake.write(table, rows, row -> Math.floorMod(row.getInt(0), 3), compact);
                    } else {
                        lake.write(table, rows, compact);
                    }
                }
            }
        }

        /** Leaves one or two snapshots, and those that tags have. */
        private void expire(FileStoreTable table) {
            int kept = 1 + random.nextInt(2);
            table.newExpireSnapshots()
                    .config(
                            ExpireConfig.builder()
                                    .snapshotRetainMin(kept)
                                    .snapshotRetainMax(kept)
                                    .snapshotTimeRetain(Duration.ofMillis(1))
                                    .build())
                    .expire();
        }

        private void tag(FileStoreTable table) throws Exception {
            if (table.snapshotManager().latestSnapshotId() != null) {
                String tag = "tag" + tags.size();
                table.createTag(tag);
                List<String> rows =
                        query("SELECT * FROM %s FOR VERSION AS OF '%s'".formatted(name, tag));
                assertThat(rows)
                        .as("seed %s, %s", seed, tag)
                        .containsExactlyInAnyOrderElementsOf(
                                TestingLake.rows(
                                        table.copy(Map.of(CoreOptions.SCAN_TAG_NAME.key(), tag))));
                tags.put(tag, rows);
            }
        }

        private void alter(FileStoreTable table) throws Exception {
            List<DataField> others =
                    table.rowType().getFields().stream()
                            .filter(field -> field.name().startsWith("c"))
                            .toList();
            DataField field = others.get(random.nextInt(others.size()));
            SchemaChange change =
                    switch (random.nextInt(4)) {
                        case 0 -> SchemaChange.renameColumn(field.name(), "cn" + added++);
                        case 1 ->
                                others.size() > 1
                                        ? SchemaChange.dropColumn(field.name())
                                        : SchemaChange.addColumn("cn" + added++, DataTypes.INT());
                        case 2 ->
                                field.type().is(DataTypeRoot.INTEGER)
                                        ? SchemaChange.updateColumnType(
                                                field.name(), DataTypes.BIGINT())
                                        : SchemaChange.addColumn(
                                                "cn" + added++, DataTypes.STRING());
                        default -> SchemaChange.addColumn("cn" + added++, type(1));
                    };
            lake.catalog().alterTable(Identifier.create("d", name), List.of(change), false);
        }

        private List<GenericRow> rows(FileStoreTable table, int count) {
            List<GenericRow> rows = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                GenericRow row = values.row(table.rowType());
                row.setField(0, random.nextInt(50));
                row.setField(1, random.nextInt(3));
                if (deletes && random.nextInt(6) == 0) {
                    row.setRowKind(RowKind.DELETE);
                }
                rows.add(row);
            }
            return rows;
        }

        private void compare() throws Exception {
            FileStoreTable table = lake.table("d", name);
            assertThat(query("SELECT * FROM " + name))
                    .as("seed %s, %s, %s", seed, table.rowType(), table.options())
                    .containsExactlyInAnyOrderElementsOf(TestingLake.rows(table));
            if (merges(name) > 0) {
                merging.add(seed);
            }
        }

        /** The splits of a table that this plugin merges, by the query's metrics. */
        private long merges(String table) {
            String plan =
                    (String)
                            trino.execute("EXPLAIN ANALYZE VERBOSE SELECT * FROM " + table)
                                    .getOnlyValue();
            Matcher found = MERGES.matcher(plan);
            return found.find() ? Long.parseLong(found.group(1)) : 0;
        }

        /** A condition that prunes, beside the same as one that cannot. */
        private void filter() throws Exception {
            FileStoreTable table = lake.table("d", name);
            List<DataField> fields = table.rowType().getFields();
            DataField field = fields.get(random.nextInt(fields.size()));
            String condition = condition(field);
            String columns = "id, part, " + field.name();
            assertThat(query("SELECT %s FROM %s WHERE %s".formatted(columns, name, condition)))
                    .as("seed %s, %s, %s, %s", seed, condition, table.rowType(), table.options())
                    .containsExactlyInAnyOrderElementsOf(
                            query(
                                    "SELECT %s FROM %s WHERE CASE WHEN %s THEN true ELSE false END"
                                            .formatted(columns, name, condition)));
        }

        private String condition(DataField field) {
            DataType type = field.type();
            String column = field.name();
            return switch (type.getTypeRoot()) {
                case TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL, FLOAT, DOUBLE -> {
                    int value = random.nextInt(60) - 10;
                    yield switch (random.nextInt(4)) {
                        case 0 -> column + " = " + value;
                        case 1 -> column + " < " + value;
                        case 2 -> column + " BETWEEN " + value + " AND " + (value + 5);
                        default -> column + " IN (1, 2, " + value + ") OR " + column + " IS NULL";
                    };
                }
                case VARCHAR -> random.nextBoolean() ? column + " >= 'm'" : column + " = ''";
                case DATE -> column + " > DATE '1980-01-01'";
                case TIMESTAMP_WITHOUT_TIME_ZONE -> column + " < TIMESTAMP '1999-01-01 00:00:00'";
                case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                        column + " >= TIMESTAMP '1999-01-01 00:00:00 UTC'";
                case BOOLEAN -> column;
                default -> column + " IS NOT NULL";
            };
        }

        private void travel() throws Exception {
            FileStoreTable table = lake.table("d", name);
            Long latest = table.snapshotManager().latestSnapshotId();
            if (latest == null) {
                return;
            }
            long earliest = table.snapshotManager().earliestSnapshotId();
            long id = earliest + random.nextLong(latest - earliest + 1);
            FileStoreTable past =
                    table.copy(Map.of(CoreOptions.SCAN_SNAPSHOT_ID.key(), Long.toString(id)));
            assertThat(query("SELECT * FROM %s FOR VERSION AS OF %s".formatted(name, id)))
                    .as("seed %s, snapshot %s", seed, id)
                    .containsExactlyInAnyOrderElementsOf(TestingLake.rows(past));
        }

        private List<String> query(String sql) {
            return Texts.rows(trino.execute(sql));
        }
    }
}
