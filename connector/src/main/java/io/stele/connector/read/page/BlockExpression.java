package io.stele.connector.read.page;

import static io.trino.spi.StandardErrorCode.NUMERIC_VALUE_OUT_OF_RANGE;
import static java.util.Objects.requireNonNull;

import io.stele.connector.type.NativeValues;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.aggregate.ScalarExpression.Kind;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Decimals;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Int128Math;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;

/**
 * An evaluator, on a worker, of a pushed-down expression over pages of a scan, unless an
 * aggregation in the sidecar computes it. Values and errors are those of Trino's operators.
 * Immutable.
 */
final class BlockExpression {
    private final ScalarExpression expression;
    private final IntUnaryOperator channels;
    private final Function<io.stele.protocol.schema.DataType, Type> types;

    /**
     * @param channels the channel of each column id in pages
     */
    BlockExpression(
            ScalarExpression expression,
            IntUnaryOperator channels,
            Function<io.stele.protocol.schema.DataType, Type> types) {
        this.expression = requireNonNull(expression, "expression is null");
        this.channels = requireNonNull(channels, "channels is null");
        this.types = requireNonNull(types, "types is null");
    }

    Block evaluate(SourcePage page) {
        return evaluate(expression, page);
    }

    private Block evaluate(ScalarExpression node, SourcePage page) {
        Type type = types.apply(node.type());
        return switch (node.kind()) {
            case COLUMN -> page.getBlock(channels.applyAsInt(node.columnId().orElseThrow()));
            case CONSTANT ->
                    RunLengthEncodedBlock.create(
                            TypeUtils.writeNativeValue(
                                    type,
                                    NativeValues.decode(node.type(), node.value().orElseThrow())
                                            .orElseThrow()),
                            page.getPositionCount());
            case WIDEN -> {
                ScalarExpression argument = node.arguments().get(0);
                yield widen(evaluate(argument, page), types.apply(argument.type()), type);
            }
            case ADD, SUBTRACT, MULTIPLY -> {
                ScalarExpression left = node.arguments().get(0);
                ScalarExpression right = node.arguments().get(1);
                yield compute(
                        node.kind(),
                        type,
                        evaluate(left, page),
                        types.apply(left.type()),
                        evaluate(right, page),
                        types.apply(right.type()));
            }
        };
    }

    private static Block widen(Block source, Type from, Type to) {
        int count = source.getPositionCount();
        BlockBuilder target = to.createBlockBuilder(null, count);
        for (int position = 0; position < count; position++) {
            if (source.isNull(position)) {
                target.appendNull();
            } else if (to instanceof DecimalType decimal) {
                int zeros = decimal.getScale() - scale(from);
                write(decimal, Int128Math.rescale(decimal(from, source, position), zeros), target);
            } else if (to == DoubleType.DOUBLE) {
                DoubleType.DOUBLE.writeDouble(
                        target,
                        from == RealType.REAL
                                ? RealType.REAL.getFloat(source, position)
                                : from.getLong(source, position));
            } else if (to.getJavaType() == long.class) {
                to.writeLong(target, from.getLong(source, position));
            } else {
                to.writeSlice(target, from.getSlice(source, position));
            }
        }
        return target.build();
    }

    private static Block compute(
            Kind kind, Type type, Block left, Type leftType, Block right, Type rightType) {
        int count = left.getPositionCount();
        BlockBuilder target = type.createBlockBuilder(null, count);
        for (int position = 0; position < count; position++) {
            if (left.isNull(position) || right.isNull(position)) {
                target.appendNull();
            } else if (type == DoubleType.DOUBLE) {
                DoubleType.DOUBLE.writeDouble(
                        target,
                        apply(
                                kind,
                                DoubleType.DOUBLE.getDouble(left, position),
                                DoubleType.DOUBLE.getDouble(right, position)));
            } else if (type instanceof DecimalType decimal) {
                write(
                        decimal,
                        apply(
                                kind,
                                decimal,
                                decimal(leftType, left, position),
                                scale(leftType),
                                decimal(rightType, right, position),
                                scale(rightType)),
                        target);
            } else {
                type.writeLong(
                        target,
                        apply(
                                kind,
                                type,
                                leftType.getLong(left, position),
                                rightType.getLong(right, position)));
            }
        }
        return target.build();
    }

    private static double apply(Kind kind, double left, double right) {
        return switch (kind) {
            case ADD -> left + right;
            case SUBTRACT -> left - right;
            default -> left * right;
        };
    }

    private static long apply(Kind kind, Type type, long left, long right) {
        try {
            long result =
                    switch (kind) {
                        case ADD -> Math.addExact(left, right);
                        case SUBTRACT -> Math.subtractExact(left, right);
                        default -> Math.multiplyExact(left, right);
                    };
            if (type != IntegerType.INTEGER || result == (int) result) {
                return result;
            }
        } catch (ArithmeticException tooLarge) {
            // as below
        }
        String name =
                switch (kind) {
                    case ADD -> "addition overflow: %s + %s";
                    case SUBTRACT -> "subtraction overflow: %s - %s";
                    default -> "multiplication overflow: %s * %s";
                };
        throw new TrinoException(
                NUMERIC_VALUE_OUT_OF_RANGE,
                type.getDisplayName() + " " + name.formatted(left, right));
    }

    private static Int128 apply(
            Kind kind, DecimalType type, Int128 left, int leftScale, Int128 right, int rightScale) {
        try {
            if (kind == Kind.MULTIPLY) {
                return Int128Math.multiply(left, right);
            }
            Int128 a = Int128Math.rescale(left, type.getScale() - leftScale);
            Int128 b = Int128Math.rescale(right, type.getScale() - rightScale);
            long[] result = new long[2];
            if (kind == Kind.ADD) {
                Int128Math.add(a.getHigh(), a.getLow(), b.getHigh(), b.getLow(), result, 0);
            } else {
                Int128Math.subtract(a.getHigh(), a.getLow(), b.getHigh(), b.getLow(), result, 0);
            }
            return Int128.valueOf(result);
        } catch (ArithmeticException tooLarge) {
            throw new TrinoException(NUMERIC_VALUE_OUT_OF_RANGE, "Decimal overflow", tooLarge);
        }
    }

    private static Int128 decimal(Type type, Block block, int position) {
        return type instanceof DecimalType decimal && !decimal.isShort()
                ? (Int128) decimal.getObject(block, position)
                : Int128.valueOf(type.getLong(block, position));
    }

    private static int scale(Type type) {
        return type instanceof DecimalType decimal ? decimal.getScale() : 0;
    }

    private static void write(DecimalType type, Int128 value, BlockBuilder target) {
        if (Decimals.overflows(value)) {
            throw new TrinoException(NUMERIC_VALUE_OUT_OF_RANGE, "Decimal overflow");
        }
        if (type.isShort()) {
            type.writeLong(target, value.toLongExact());
        } else {
            type.writeObject(target, value);
        }
    }
}
