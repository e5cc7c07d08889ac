package io.stele.benchmarks.apply;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A reproducible source of upsert batches for a table of one shard, with a million ids drawn
 * uniformly or by Zipf's law from a seed. Rows are (id bigint, value varchar of 64 bytes).
 */
final class HotBatches {
    private static final int IDS = 1_000_000;
    private static final int VALUE_BYTES = 64;

    private final TableSchema schema;

    /**
     * @param schema of {@link #definition}, or what a catalog made of it
     */
    HotBatches(TableSchema schema) {
        this.schema = schema;
    }

    static TableSchema definition(String name) {
        return TableSchema.builder("bench", name)
                .columns(
                        List.of(
                                new ColumnSchema(1, "id", DataType.parse("bigint")).notNull(),
                                new ColumnSchema(2, "value", DataType.parse("varchar"))))
                .primaryKey(List.of(1))
                .orientation(Orientation.ROW)
                .build();
    }

    /**
     * @param exponent of the Zipf distribution of the ids; 0: uniform
     */
    List<byte[]> make(int rows, int batchRows, double exponent, long seed) {
        RowLayout layout = RowLayout.of(schema.columns());
        RowEncoder encoder = new RowEncoder(layout);
        KeyEncoder keys = KeyEncoder.forPrimaryKey(schema);
        BinaryRow view = new BinaryRow(layout);
        SplittableRandom random = new SplittableRandom(seed);
        double[] shares = exponent == 0 ? new double[0] : cumulativeShares(exponent);
        byte[] value = new byte[VALUE_BYTES];
        List<byte[]> batches = new ArrayList<>();
        WriteBatchBuilder batch = new WriteBatchBuilder(schema.id(), schema.schemaVersion());
        for (int row = 0; row < rows; row++) {
            int rank = exponent == 0 ? random.nextInt(IDS) : rank(shares, random.nextDouble());
            for (int i = 0; i < value.length; i++) {
                value[i] = (byte) random.nextInt('0', '~');
            }
            encoder.reset();
            encoder.setLong(0, scattered(rank));
            encoder.setBytes(1, value, 0, value.length);
            byte[] bytes = encoder.finishToArray();
            batch.upsert(keys.encode(view.wrap(bytes)), bytes);
            if (batch.operationCount() == batchRows || row == rows - 1) {
                batches.add(batch.toByteArray());
                batch.reset(schema.id(), schema.schemaVersion());
            }
        }
        return batches;
    }

    /** Frequent ids are not neighbours. */
    private static long scattered(int rank) {
        return (rank * 0x9E3779B97F4A7C15L) >>> 1;
    }

    private static double[] cumulativeShares(double exponent) {
        double[] shares = new double[IDS];
        double sum = 0;
        for (int rank = 0; rank < IDS; rank++) {
            sum += 1 / Math.pow(rank + 1.0, exponent);
            shares[rank] = sum;
        }
        for (int rank = 0; rank < IDS; rank++) {
            shares[rank] /= sum;
        }
        return shares;
    }

    private static int rank(double[] shares, double drawn) {
        int found = Arrays.binarySearch(shares, drawn);
        return Math.min(found < 0 ? -found - 1 : found, IDS - 1);
    }
}
