package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Sums of real and double, and averages of these and of integers: all added up as doubles, as Trino
 * does.
 */
final class DoubleSumAccumulator extends Accumulator {
    private final DataType resultType;
    private final boolean isAverage;
    private double[] sums = {};

    DoubleSumAccumulator(DataType resultType, boolean isAverage) {
        this.resultType = requireNonNull(resultType, "resultType is null");
        this.isAverage = isAverage;
    }

    @Override
    void addValues(int[] groups, ValueVector vector, int[] rows, int count) {
        boolean isLong = vector.kind == VectorKind.LONG;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            if (!vector.isNull(row)) {
                sums[groups[i]] += isLong ? vector.longs[row] : vector.doubles[row];
            }
        }
    }

    @Override
    void set(int group, RowEncoder row, int column) {
        if (count(group) == 0) {
            return;
        }
        double result = isAverage ? sums[group] / count(group) : sums[group];
        if (resultType.form() == PhysicalForm.FLOAT32) {
            row.setFloat(column, (float) result);
        } else {
            row.setDouble(column, result);
        }
    }

    @Override
    void mergeValue(int group, Accumulator other, int otherGroup) {
        sums[group] += same(DoubleSumAccumulator.class, other).sums[otherGroup];
    }

    @Override
    void resizeValues(int capacity) {
        sums = Arrays.copyOf(sums, capacity);
    }

    @Override
    int valueBytes() {
        return Double.BYTES;
    }

    @Override
    void writeValue(DataOutput target, int group) throws IOException {
        target.writeDouble(sums[group]);
    }

    @Override
    void readValue(DataInput source, int group) throws IOException {
        sums[group] = source.readDouble();
    }
}
