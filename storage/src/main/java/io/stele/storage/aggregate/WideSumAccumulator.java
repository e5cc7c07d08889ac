package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
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
 * Sums of integers and decimals, and averages of decimals. Exact on the way, so only a result that
 * does not fit is an error.
 */
final class WideSumAccumulator extends Accumulator {
    private static final BigInteger FIRST_TOO_LARGE = BigInteger.TEN.pow(DecimalType.MAX_PRECISION);

    private final DataType resultType;
    private final boolean isAverage;
    private final WideSums sums = new WideSums();

    WideSumAccumulator(DataType resultType, boolean isAverage) {
        this.resultType = requireNonNull(resultType, "resultType is null");
        this.isAverage = isAverage;
    }

    @Override
    void addValues(int[] groups, ValueVector vector, int[] rows, int count) {
        if (vector.kind == VectorKind.LONG) {
            long[] values = vector.longs;
            for (int i = 0; i < count; i++) {
                int row = rows[i];
                if (!vector.isNull(row)) {
                    sums.add(groups[i], values[row]);
                }
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            if (!vector.isNull(row)) {
                sums.add(groups[i], vector.highs[row], vector.longs[row]);
            }
        }
    }

    @Override
    void set(int group, RowEncoder row, int column) {
        if (count(group) == 0) {
            return;
        }
        if (!(resultType instanceof DecimalType)) {
            if (!sums.isLong(group)) {
                throw outOfRange("bigint");
            }
            row.setLong(column, sums.low(group));
            return;
        }
        BigInteger result = isAverage ? average(group) : sums.value(group);
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
