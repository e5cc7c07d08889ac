package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.TypeKind;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * An executable node of a scalar expression, which computes one vector of each batch from the
 * vectors of its arguments. It has buffers and is confined to one thread.
 */
interface VectorExpression {
    /**
     * The values in the selected rows of the batch, valid until the next batch; values in other
     * rows have no meaning.
     *
     * @param arguments the results of the node's arguments in the same rows
     * @throws io.stele.protocol.SteleException NUMBER_OUT_OF_RANGE
     */
    ValueVector evaluate(VectorSource batch, Selection selection, List<ValueVector> arguments);

    /**
     * The node of an expression, without its arguments.
     *
     * @param slots returns the slot of a column id in batches
     */
    static VectorExpression of(ScalarExpression expression, IntUnaryOperator slots) {
        return switch (expression.kind()) {
            case COLUMN -> new Column(slots.applyAsInt(expression.columnId().orElseThrow()));
            case CONSTANT -> constant(expression);
            case WIDEN -> widened(expression);
            case ADD, SUBTRACT, MULTIPLY -> new Binary(Operator.of(expression));
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
        return (batch, selection, arguments) -> vector;
    }

    private static VectorExpression widened(ScalarExpression expression) {
        DataType from = expression.arguments().get(0).type();
        DataType to = expression.type();
        if (isInteger(from) && to.kind() == TypeKind.DOUBLE) {
            return new Widened(VectorKind.DOUBLE, 0);
        }
        if (to instanceof DecimalType decimal) {
            int scale = from instanceof DecimalType narrow ? narrow.scale() : 0;
            return new Widened(VectorKind.of(to), decimal.scale() - scale);
        }
        return (batch, selection, arguments) -> arguments.get(0); // the same representation
    }

    private static boolean isInteger(DataType type) {
        return switch (type.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> true;
            default -> false;
        };
    }

    /** A column of the batch. */
    record Column(int slot) implements VectorExpression {
        @Override
        public ValueVector evaluate(
                VectorSource batch, Selection selection, List<ValueVector> arguments) {
            ValueVector vector = batch.column(slot);
            vector.flatten(selection);
            return vector;
        }
    }

    /** An operator applied row by row. */
    final class Binary implements VectorExpression {
        private final Operator operator;
        private final ValueVector result;

        Binary(Operator operator) {
            this.operator = requireNonNull(operator, "operator is null");
            this.result = ValueVector.allocate(operator.kind(), VectorSource.BATCH_ROWS);
        }

        @Override
        public ValueVector evaluate(
                VectorSource batch, Selection selection, List<ValueVector> arguments) {
            ValueVector a = arguments.get(0);
            ValueVector b = arguments.get(1);
            result.hasNulls = a.hasNulls || b.hasNulls;
            if (result.hasNulls) {
                for (int i = 0; i < selection.count; i++) {
                    int row = selection.rows[i];
                    result.nulls[row] = a.isNull(row) || b.isNull(row);
                }
            }
            operator.apply(a, b, selection, result);
            return result;
        }
    }

    /** A conversion of integers to doubles or decimals, or of decimals to a larger scale. */
    final class Widened implements VectorExpression {
        private final ValueVector result;
        private final int zeros;

        Widened(VectorKind kind, int zeros) {
            this.result = ValueVector.allocate(kind, VectorSource.BATCH_ROWS);
            this.zeros = zeros;
        }

        @Override
        public ValueVector evaluate(
                VectorSource batch, Selection selection, List<ValueVector> arguments) {
            ValueVector from = arguments.get(0);
            result.hasNulls = from.hasNulls;
            result.nulls = from.nulls;
            if (result.kind == VectorKind.DOUBLE) {
                for (int i = 0; i < selection.count; i++) {
                    int row = selection.rows[i];
                    result.doubles[row] = from.longs[row];
                }
                return result;
            }
            for (int i = 0; i < selection.count; i++) {
                int row = selection.rows[i];
                if (!from.isNull(row)) {
                    Decimals.rescale(from, row, zeros, result);
                }
            }
            return result;
        }
    }
}
