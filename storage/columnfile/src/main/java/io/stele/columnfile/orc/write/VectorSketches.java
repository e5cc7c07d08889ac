package io.stele.columnfile.orc.write;

import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TypeKind;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;

/**
 * A builder of the column sketches of a new file from ORC batches, with one loop for each kind of
 * vector. Confined to one thread.
 */
public final class VectorSketches {
    private final List<Column> columns = new ArrayList<>();

    /**
     * @param schema the columns of the vectors, in their order
     */
    public VectorSketches(List<ColumnSchema> schema) {
        for (int position : SketchBuilder.sketched(schema)) {
            columns.add(new Column(position, schema.get(position), new SketchBuilder()));
        }
    }

    /** Adds the first {@code count} rows of the vectors. */
    public void add(ColumnVector[] vectors, int count) {
        for (Column column : columns) {
            add(column, vectors[column.position], count);
        }
    }

    /** The sketches of the rows so far, by column id. */
    public Map<Integer, ColumnSketch> sketches() {
        Map<Integer, ColumnSketch> sketches = new HashMap<>();
        columns.forEach(column -> sketches.put(column.schema.id(), column.builder.build()));
        return sketches;
    }

    private static void add(Column column, ColumnVector vector, int count) {
        if (vector.isRepeating) {
            add(column, vector, 0, Math.min(count, 1));
            for (int i = 1; i < count && vector instanceof BytesColumnVector; i++) {
                add(column, vector, 0, 1); // each value has a length
            }
            return;
        }
        add(column, vector, 0, count);
    }

    private static void add(Column column, ColumnVector vector, int from, int count) {
        SketchBuilder builder = column.builder;
        boolean noNulls = vector.noNulls;
        boolean[] isNull = vector.isNull;
        switch (vector) {
            case LongColumnVector longs -> {
                for (int i = from; i < from + count; i++) {
                    if (noNulls || !isNull[i]) {
                        builder.addLong(longs.vector[i]);
                    }
                }
            }
            case DoubleColumnVector doubles -> {
                for (int i = from; i < from + count; i++) {
                    if (noNulls || !isNull[i]) {
                        builder.addDouble(doubles.vector[i]);
                    }
                }
            }
            case BytesColumnVector bytes -> {
                boolean padded = column.schema.type().kind() == TypeKind.CHAR;
                for (int i = from; i < from + count; i++) {
                    if (noNulls || !isNull[i]) {
                        byte[] array = bytes.vector[i];
                        int start = bytes.start[i];
                        int length = bytes.length[i];
                        while (padded && length > 0 && array[start + length - 1] == ' ') {
                            length--;
                        }
                        builder.addBytes(array, start, length);
                    }
                }
            }
            case DecimalColumnVector decimals -> {
                int scale = column.schema.type().scale();
                for (int i = from; i < from + count; i++) {
                    if (noNulls || !isNull[i]) {
                        BigInteger unscaled =
                                decimals.vector[i]
                                        .getHiveDecimal()
                                        .bigDecimalValue()
                                        .setScale(scale)
                                        .unscaledValue();
                        builder.addInt128(
                                unscaled.shiftRight(Long.SIZE).longValueExact(),
                                unscaled.longValue());
                    }
                }
            }
            default ->
                    throw new IllegalArgumentException(
                            "Expected a vector of values with an order, found " + vector.type);
        }
    }

    private record Column(int position, ColumnSchema schema, SketchBuilder builder) {}
}
