package io.stele.engine.aggregate;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.AggregateFunction;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.PhysicalForm;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * The accumulator of SUM of real and double, and of AVG of these types and of integers. All values
 * are added up as doubles, as in Trino.
 */
final class DoubleSumAccumulator extends Accumulator {
    private double[] sums = {};

    @Override
    void addValues(RowRuns runs, ValueVector vector) {
        for (int run = 0; run < runs.count(); run++) {
            int group = runs.group(run);
            sums[group] = sum(sums[group], runs, run, vector);
        }
    }

    /** Adds one value after the other: the order is part of the result. */
    private static double sum(double before, RowRuns runs, int run, ValueVector vector) {
        int[] rows = runs.rows();
        int end = runs.end(run);
        double sum = before;
        if (vector.hasNulls) {
            boolean isLong = vector.kind == VectorKind.LONG;
            for (int i = runs.start(run); i < end; i++) {
                int row = rows[i];
                if (!vector.nulls[row]) {
                    sum += isLong ? vector.longs[row] : vector.doubles[row];
                }
            }
        } else if (vector.kind == VectorKind.LONG) {
            long[] values = vector.longs;
            for (int i = runs.start(run); i < end; i++) {
                sum += values[rows[i]];
            }
        } else {
            double[] values = vector.doubles;
            for (int i = runs.start(run); i < end; i++) {
                sum += values[rows[i]];
            }
        }
        return sum;
    }

    @Override
    void set(int group, AggregateCall call, RowEncoder row, int column) {
        if (count(group) == 0) {
            return;
        }
        boolean isAverage = call.function() == AggregateFunction.AVG;
        double result = isAverage ? sums[group] / count(group) : sums[group];
        if (call.resultType().form() == PhysicalForm.FLOAT32) {
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
