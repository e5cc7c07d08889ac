package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.TypeKind;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/** An expression that computes a vector of each batch. Has buffers: confined to one thread. */
interface VectorExpression {
    /**
     * The values in some rows of the batch; valid until the next batch, in other rows without
     * meaning.
     *
     * @throws io.stele.protocol.SteleException NUMBER_OUT_OF_RANGE
     */
    ValueVector evaluate(VectorSource batch, int[] rows, int count);

    /**
     * Makes an expression ready.
     *
     * @param slots the slot of each column id in batches
     */
    static VectorExpression of(ScalarExpression expression, IntUnaryOperator slots) {
        return switch (expression.kind()) {
            case COLUMN -> {
                int slot = slots.applyAsInt(expression.columnId().orElseThrow());
                yield (batch, rows, count) -> batch.column(slot);
            }
            case CONSTANT -> constant(expression);
            case WIDEN -> widened(expression, slots);
            case ADD, SUBTRACT, MULTIPLY -> {
                VectorExpression left = of(expression.arguments().get(0), slots);
                VectorExpression right = of(expression.arguments().get(1), slots);
                yield new Binary(left, right, Operator.of(expression));
            }
        };
    }

    private static VectorExpression constant(ScalarExpression expression) {
        DataType type = expression.type();
        VectorKind kind = VectorKind.of(type);
        ValueCodec codec = ValueCodec.of(type);
        byte[] value = expression.value().orElseThrow();
        ValueVector vector = ValueVector.allocate(kind, VectorSource.BATCH_ROWS);
        switch (kind) {
            case LONG ->
                    Arrays.fill(
                            vector.longs,
                            type.form() == PhysicalForm.BOOLEAN
                                    ? (codec.decodeBoolean(value) ? 1 : 0)
                                    : codec.decodeLong(value));
            case DOUBLE ->
                    Arrays.fill(
                            vector.doubles,
                            type.form() == PhysicalForm.FLOAT32
                                    ? codec.decodeFloat(value)
                                    : codec.decodeDouble(value));
            case INT128 -> {
                Arrays.fill(vector.highs, codec.decodeHigh(value));
                Arrays.fill(vector.longs, codec.decodeLow(value));
            }
            case BYTES -> {
                Arrays.fill(vector.bytes, value);
                Arrays.fill(vector.lengths, value.length);
            }
        }
        return (batch, rows, count) -> vector;
    }

    private static VectorExpression widened(ScalarExpression expression, IntUnaryOperator slots) {
        ScalarExpression argument = expression.arguments().get(0);
        VectorExpression source = of(argument, slots);
        DataType from = argument.type();
        DataType to = expression.type();
        if (isInteger(from) && to.kind() == TypeKind.DOUBLE) {
            return new Widened(source, VectorKind.DOUBLE, 0);
        }
        if (to instanceof DecimalType decimal) {
            int scale = from instanceof DecimalType narrow ? narrow.scale() : 0;
            return new Widened(source, VectorKind.of(to), decimal.scale() - scale);
        }
        return source; // the same values in as many bits
    }

    private static boolean isInteger(DataType type) {
        return switch (type.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> true;
            default -> false;
        };
    }

    /** An operator applied row by row. */
    final class Binary implements VectorExpression {
        private final VectorExpression left;
        private final VectorExpression right;
        private final Operator operator;
        private final ValueVector result;

        Binary(VectorExpression left, VectorExpression right, Operator operator) {
            this.left = requireNonNull(left, "left is null");
            this.right = requireNonNull(right, "right is null");
            this.operator = requireNonNull(operator, "operator is null");
            this.result = ValueVector.allocate(operator.kind(), VectorSource.BATCH_ROWS);
        }

        @Override
        public ValueVector evaluate(VectorSource batch, int[] rows, int count) {
            ValueVector a = left.evaluate(batch, rows, count);
            ValueVector b = right.evaluate(batch, rows, count);
            result.hasNulls = a.hasNulls || b.hasNulls;
            if (result.hasNulls) {
                for (int i = 0; i < count; i++) {
                    int row = rows[i];
                    result.nulls[row] = a.isNull(row) || b.isNull(row);
                }
            }
            operator.apply(a, b, rows, count, result);
            return result;
        }
    }

    /** Integers as doubles or decimals, decimals with more digits. */
    final class Widened implements VectorExpression {
        private final VectorExpression source;
        private final ValueVector result;
        private final int zeros;

        Widened(VectorExpression source, VectorKind kind, int zeros) {
            this.source = requireNonNull(source, "source is null");
            this.result = ValueVector.allocate(kind, VectorSource.BATCH_ROWS);
            this.zeros = zeros;
        }

        @Override
        public ValueVector evaluate(VectorSource batch, int[] rows, int count) {
            ValueVector from = source.evaluate(batch, rows, count);
            result.hasNulls = from.hasNulls;
            result.nulls = from.nulls;
            for (int i = 0; i < count; i++) {
                int row = rows[i];
                if (from.isNull(row)) {
                    continue;
                }
                switch (result.kind) {
                    case DOUBLE -> result.doubles[row] = from.longs[row];
                    case LONG, INT128 -> Decimals.rescale(from, row, zeros, result);
                    case BYTES -> throw new IllegalStateException("text is not widened");
                }
            }
            return result;
        }
    }
}
