package io.stele.paimon.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.paimon.RandomValues;
import io.stele.paimon.handle.PaimonPartitioningHandle;
import io.stele.paimon.type.InternalRowBlocks;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.BucketFunction;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.sink.FixedBucketRowKeyExtractor;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;

/** The writer of a row by its columns, by its row id, and by Paimon's own choice of the bucket. */
final class TestWriterOfBucket {
    private static final int ROWS = 500;

    private static final List<DataType> KEYS =
            List.of(
                    DataTypes.BOOLEAN(),
                    DataTypes.INT(),
                    DataTypes.BIGINT(),
                    DataTypes.DOUBLE(),
                    DataTypes.STRING(),
                    DataTypes.VARCHAR(9),
                    DataTypes.BYTES(),
                    DataTypes.DATE(),
                    DataTypes.TIME(3),
                    DataTypes.DECIMAL(9, 2),
                    DataTypes.DECIMAL(30, 5),
                    DataTypes.TIMESTAMP(3),
                    DataTypes.TIMESTAMP(9),
                    DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6));

    @Test
    void bucketsAreThoseOfPaimon() {
        for (DataType key : KEYS) {
            TableSchema schema = schema(key, Map.of("bucket", "7"), List.of());
            List<GenericRow> rows = rows(schema, 3);
            FixedBucketRowKeyExtractor paimon = new FixedBucketRowKeyExtractor(schema);
            BucketFunction writers = function(schema);
            Page page = page(schema, rows);
            for (int i = 0; i < ROWS; i++) {
                paimon.setRecord(rows.get(i));
                assertThat(writers.getBucket(page, i)).as("%s", key).isEqualTo(paimon.bucket());
            }
        }
    }

    @Test
    void otherFunctionsOfPaimonAreFollowed() {
        for (String function : List.of("mod", "hive")) {
            TableSchema schema =
                    schema(
                            DataTypes.BIGINT(),
                            Map.of("bucket", "5", "bucket-function.type", function),
                            List.of());
            List<GenericRow> rows = rows(schema, 4);
            FixedBucketRowKeyExtractor paimon = new FixedBucketRowKeyExtractor(schema);
            Page page = page(schema, rows);
            int[] found = new int[ROWS];
            function(schema).getBuckets(page, 0, ROWS, found);
            for (int i = 0; i < ROWS; i++) {
                paimon.setRecord(rows.get(i));
                assertThat(found[i]).as(function).isEqualTo(paimon.bucket());
            }
        }
    }

    @Test
    void bucketsOfPartitionsAreWhole() {
        TableSchema schema = schema(DataTypes.STRING(), Map.of("bucket", "3"), List.of("p"));
        List<GenericRow> rows = rows(schema, 5);
        FixedBucketRowKeyExtractor paimon = new FixedBucketRowKeyExtractor(schema);
        BucketFunction writers = function(schema);
        Page page = page(schema, rows);
        Map<List<Object>, Integer> ofBucket = new HashMap<>();
        Set<Integer> all = new HashSet<>();
        for (int i = 0; i < ROWS; i++) {
            paimon.setRecord(rows.get(i));
            int writer = writers.getBucket(page, i);
            all.add(writer);
            Integer before =
                    ofBucket.putIfAbsent(
                            List.of(paimon.partition().copy(), paimon.bucket()), writer);
            assertThat(writer).isEqualTo(before == null ? writer : before).isBetween(0, 63);
        }
        assertThat(all).hasSizeGreaterThan(8);
    }

    @Test
    void theRowIdHasTheWriterOfTheColumns() {
        TableSchema schema = schema(DataTypes.BIGINT(), Map.of("bucket", "4"), List.of("p"));
        List<GenericRow> rows = rows(schema, 6);
        Page page = page(schema, rows);
        // Fields of the row id are in the order of the table, which has the partition first
        BucketFunction byId =
                new WriterOfBucket(
                        (PaimonPartitioningHandle)
                                WriteLayouts.update(
                                                schema,
                                                schema.fields().stream()
                                                        .filter(field -> !field.name().equals("v"))
                                                        .toList())
                                        .orElseThrow(),
                        64);
        Block ids =
                RowBlock.fromFieldBlocks(ROWS, new Block[] {page.getBlock(1), page.getBlock(0)});
        BucketFunction byColumns = function(schema);
        for (int i = 0; i < ROWS; i++) {
            assertThat(byId.getBucket(new Page(ids), i)).isEqualTo(byColumns.getBucket(page, i));
        }
    }

    @Test
    void dynamicBucketsHaveOneWriter() {
        TableSchema schema = schema(DataTypes.BIGINT(), Map.of("bucket", "-1"), List.of());
        List<GenericRow> rows = rows(schema, 7);
        BucketFunction writers = function(schema);
        Page page = page(schema, rows);
        for (int i = 0; i < ROWS; i++) {
            assertThat(writers.getBucket(page, i)).isZero();
        }
        assertThat(
                        WriteLayouts.insert(
                                TableSchema.create(
                                        0,
                                        Schema.newBuilder().column("x", DataTypes.INT()).build())))
                .isEmpty();
    }

    private static TableSchema schema(
            DataType key, Map<String, String> options, List<String> partition) {
        List<String> primaryKey = new ArrayList<>(List.of("k"));
        primaryKey.addAll(partition);
        return TableSchema.create(
                0,
                Schema.newBuilder()
                        .column("p", DataTypes.INT())
                        .column("k", key)
                        .column("v", DataTypes.STRING())
                        .primaryKey(primaryKey)
                        .partitionKeys(partition)
                        .options(options)
                        .build());
    }

    private static BucketFunction function(TableSchema schema) {
        PaimonPartitioningHandle handle =
                (PaimonPartitioningHandle)
                        WriteLayouts.insert(schema).orElseThrow().getPartitioning().orElseThrow();
        return new WriterOfBucket(handle, handle.writers());
    }

    private static List<GenericRow> rows(TableSchema schema, int seed) {
        RandomValues random = new RandomValues(new Random(seed));
        List<GenericRow> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(random.row(schema.logicalRowType()));
            rows.getLast().setField(0, i % 11);
        }
        return rows;
    }

    /** The columns as the engine passes them: the bucket key, and then partition columns. */
    private static Page page(TableSchema schema, List<GenericRow> rows) {
        List<String> names = new ArrayList<>(schema.bucketKeys());
        names.addAll(schema.partitionKeys());
        Block[] blocks = new Block[names.size()];
        for (int i = 0; i < blocks.length; i++) {
            int field = schema.fieldNames().indexOf(names.get(i));
            DataType source = schema.fields().get(field).type();
            InternalRow.FieldGetter getter = InternalRow.createFieldGetter(source, field);
            Type type = PaimonTypes.toTrino(source);
            BlockBuilder builder = type.createBlockBuilder(null, rows.size());
            for (GenericRow row : rows) {
                InternalRowBlocks.append(source, type, getter.getFieldOrNull(row), builder);
            }
            blocks[i] = builder.build();
        }
        return new Page(rows.size(), blocks);
    }
}
