package io.stele.paimon.merge;

import static io.trino.spi.type.BigintType.BIGINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.connector.SourcePage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Merged rows are those of a map that takes the inputs' rows one after the other. */
final class TestSortedMerge {
    private static final long SEED = Long.getLong("simulation.seed", 20261128);
    private static final MergeLayout LAYOUT =
            new MergeLayout(
                    List.of(BIGINT, BIGINT),
                    List.of(-1, -1),
                    List.of(new MergeLayout.Column(0, BIGINT)),
                    List.of(),
                    true,
                    -1,
                    2);

    @TempDir Path folder;
    private MergeRules rules;

    /** A row of an input; a deletion has no value. */
    private record Row(long key, @Nullable Long value) {}

    /** Pages of rows in memory. */
    private static final class Pages implements SortedRows {
        private final Queue<SourcePage> pages = new ArrayDeque<>();
        private final int number;

        private Pages(int number) {
            this.number = number;
        }

        private void add(List<Row> rows) {
            BlockBuilder keys = BIGINT.createFixedSizeBlockBuilder(rows.size());
            BlockBuilder values = BIGINT.createFixedSizeBlockBuilder(rows.size());
            byte[] kinds = new byte[rows.size()];
            for (int i = 0; i < rows.size(); i++) {
                Row row = rows.get(i);
                BIGINT.writeLong(keys, row.key());
                BIGINT.writeLong(values, row.value() == null ? -1 : row.value());
                kinds[i] = (row.value() == null ? RowKind.DELETE : RowKind.INSERT).toByteValue();
            }
            pages.add(
                    SourcePage.create(
                            new io.trino.spi.Page(
                                    keys.build(),
                                    values.build(),
                                    new ByteArrayBlock(rows.size(), Optional.empty(), kinds))));
        }

        @Override
        public @Nullable SourcePage next() {
            return pages.poll();
        }

        @Override
        public int level() {
            return 0;
        }

        @Override
        public long sequenceNumber() {
            return number;
        }

        @Override
        public long memoryBytes() {
            return 0;
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void createTable() throws Exception {
        org.apache.paimon.fs.Path location = new org.apache.paimon.fs.Path(folder.toString());
        LocalFileIO files = LocalFileIO.create();
        new SchemaManager(files, location)
                .createTable(
                        Schema.newBuilder()
                                .column("k", DataTypes.BIGINT())
                                .column("v", DataTypes.BIGINT())
                                .primaryKey("k")
                                .option("bucket", "1")
                                .build());
        rules = MergeRules.find(FileStoreTableFactory.create(files, location)).orElseThrow();
    }

    private List<Row> merge(List<Pages> inputs) throws IOException {
        SortedMerge merge = new SortedMerge(LAYOUT, rules, inputs);
        List<Row> rows = new ArrayList<>();
        for (SourcePage page = merge.next(); page != null; page = merge.next()) {
            assertThat(page.getPositionCount()).isPositive();
            for (int i = 0; i < page.getPositionCount(); i++) {
                rows.add(
                        new Row(
                                BIGINT.getLong(page.getBlock(0), i),
                                BIGINT.getLong(page.getBlock(1), i)));
            }
        }
        return rows;
    }

    /** Such pages are given out as they are, without the deletions. */
    @Test
    void pagesOfDeletionsAlone() throws IOException {
        Pages base = new Pages(0);
        base.add(List.of(new Row(0, 7L)));
        base.add(List.of(new Row(100_000, 8L)));
        Pages deletions = new Pages(1);
        deletions.add(LongStream.range(1, 4097).mapToObj(key -> new Row(key, null)).toList());
        deletions.add(LongStream.range(4097, 8193).mapToObj(key -> new Row(key, null)).toList());
        assertThat(merge(List.of(base, deletions)))
                .containsExactly(new Row(0, 7L), new Row(100_000, 8L));
    }

    @Test
    void randomInputs() throws IOException {
        Random random = new Random(SEED);
        for (int round = 0; round < 60; round++) {
            Map<Long, Long> expected = new TreeMap<>();
            List<Pages> inputs = new ArrayList<>();
            int count = 1 + random.nextInt(5);
            for (int number = 0; number < count; number++) {
                Pages input = new Pages(number);
                long key = random.nextInt(3000);
                for (int page = random.nextInt(4); page >= 0; page--) {
                    List<Row> rows = new ArrayList<>();
                    int deletedOf10 = random.nextInt(4) == 0 ? 10 : random.nextInt(4);
                    int step = 1 + random.nextInt(20);
                    for (int i = 1 + random.nextInt(5000); i > 0; i--) {
                        key += 1 + random.nextInt(step);
                        rows.add(
                                new Row(
                                        key,
                                        random.nextInt(10) < deletedOf10
                                                ? null
                                                : random.nextLong()));
                    }
                    for (Row row : rows) {
                        if (row.value() == null) {
                            expected.remove(row.key());
                        } else {
                            expected.put(row.key(), row.value());
                        }
                    }
                    input.add(rows);
                }
                inputs.add(input);
            }
            assertThat(merge(inputs))
                    .as("round %s of seed %s", round, SEED)
                    .isEqualTo(
                            expected.entrySet().stream()
                                    .map(row -> new Row(row.getKey(), row.getValue()))
                                    .toList());
        }
    }
}
