package io.stele.engine.aggregate;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.AggregateFunction;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.PhysicalForm;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * The accumulator of SUM of integers and decimals, and of AVG of decimals, exact in 192 bits. Only
 * a result that does not fit its type is an error.
 */
final class WideSumAccumulator extends Accumulator {
    private static final BigInteger FIRST_TOO_LARGE = BigInteger.TEN.pow(DecimalType.MAX_PRECISION);

    private final WideSums sums = new WideSums();

    @Override
    void addValues(RowRuns runs, ValueVector vector) {
        for (int run = 0; run < runs.count(); run++) {
            if (vector.kind == VectorKind.LONG) {
                addLongs(runs, run, vector);
            } else {
                addInt128(runs, run, vector);
            }
        }
    }

    private void addLongs(RowRuns runs, int run, ValueVector vector) {
        int[] rows = runs.rows();
        long[] values = vector.longs;
        int end = runs.end(run);
        long sum = 0;
        long carry = 0; // in units of 2^64
        for (int i = runs.start(run); i < end; i++) {
            int row = rows[i];
            long value = vector.isNull(row) ? 0 : values[row];
            long next = sum + value;
            if (((sum ^ next) & (value ^ next)) < 0) {
                carry += value < 0 ? -1 : 1;
            }
            sum = next;
        }
        sums.addParts(runs.group(run), carry, sum);
    }

    private void addInt128(RowRuns runs, int run, ValueVector vector) {
        int[] rows = runs.rows();
        long[] lows = vector.longs;
        long[] highs = vector.highs;
        int end = runs.end(run);
        long sum = 0; // of the values that fit 64 bits, as nearly all do
        long carry = 0;
        for (int i = runs.start(run); i < end; i++) {
            int row = rows[i];
            if (vector.isNull(row)) {
                continue;
            }
            long value = lows[row];
            if (highs[row] != value >> (Long.SIZE - 1)) {
                sums.add(runs.group(run), highs[row], value);
                continue;
            }
            long next = sum + value;
            if (((sum ^ next) & (value ^ next)) < 0) {
                carry += value < 0 ? -1 : 1;
            }
            sum = next;
        }
        sums.addParts(runs.group(run), carry, sum);
    }

    @Override
    void set(int group, AggregateCall call, RowEncoder row, int column) {
        if (count(group) == 0) {
            return;
        }
        DataType resultType = call.resultType();
        if (!(resultType instanceof DecimalType)) {
            if (!sums.isLong(group)) {
                throw outOfRange("bigint");
            }
            row.setLong(column, sums.low(group));
            return;
        }
        BigInteger result =
                call.function() == AggregateFunction.AVG ? average(group) : sums.value(group);
        if (result.abs().compareTo(FIRST_TOO_LARGE) >= 0) {
            throw outOfRange(resultType.text());
        }
        if (resultType.form() == PhysicalForm.INT64) {
            row.setLong(column, result.longValueExact());
        } else {
            row.setInt128(
                    column, result.shiftRight(Long.SIZE).longValueExact(), result.longValue());
        }
    }

    private BigInteger average(int group) {
        return new BigDecimal(sums.value(group))
                .divide(BigDecimal.valueOf(count(group)), 0, RoundingMode.HALF_UP)
                .toBigIntegerExact();
    }

    private static SteleException outOfRange(String type) {
        boolean isDecimal = type.startsWith("decimal");
        return new SteleException(
                ErrorCode.NUMBER_OUT_OF_RANGE,
                isDecimal
                        ? "Decimal overflow: expected a sum of at most 38 digits"
                        : "bigint addition overflow: expected a sum of 64 bits");
    }

    @Override
    void mergeValue(int group, Accumulator other, int otherGroup) {
        sums.merge(group, same(WideSumAccumulator.class, other).sums, otherGroup);
    }

    @Override
    void resizeValues(int capacity) {
        sums.resize(capacity);
    }

    @Override
    int valueBytes() {
        return WideSums.GROUP_BYTES;
    }

    @Override
    void writeValue(DataOutput target, int group) throws IOException {
        sums.write(target, group);
    }

    @Override
    void readValue(DataInput source, int group) throws IOException {
        sums.read(source, group);
    }
}
