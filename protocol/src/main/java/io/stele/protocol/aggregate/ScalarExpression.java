package io.stele.protocol.aggregate;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TypeKind;
import io.stele.protocol.schema.TypeWidening;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * An arithmetic expression on the columns of a row, which a pushed-down aggregation computes: a
 * column, a constant, or an operator with arguments. It is null if an argument is null. Immutable.
 *
 * @param type of the result, in which arithmetic is done, as by Trino's operators with this result
 *     type
 * @param columnId only for a column
 * @param value only for a constant, in the form of {@link io.stele.protocol.row.ValueCodec}
 * @param arguments only for arithmetic and casts
 */
public record ScalarExpression(
        Kind kind,
        DataType type,
        OptionalInt columnId,
        Optional<byte[]> value,
        List<ScalarExpression> arguments) {
    /** The most columns, constants and operators of one expression. */
    public static final int MAX_NODES = 64;

    /** The kinds of expressions. */
    public enum Kind {
        COLUMN(0),
        CONSTANT(0),
        ADD(2),
        SUBTRACT(2),
        MULTIPLY(2),
        /** A cast to a type that has all values of the argument's type. */
        WIDEN(1);

        private final int argumentCount;

        Kind(int argumentCount) {
            this.argumentCount = argumentCount;
        }
    }

    public ScalarExpression {
        requireNonNull(kind, "kind is null");
        requireNonNull(type, "type is null");
        requireNonNull(columnId, "columnId is null");
        requireNonNull(value, "value is null");
        arguments = List.copyOf(arguments);
        if (columnId.isPresent() != (kind == Kind.COLUMN)
                || value.isPresent() != (kind == Kind.CONSTANT)
                || arguments.size() != kind.argumentCount) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected the parts of a %s in an expression, found column %s, %s and %s arguments"
                            .formatted(
                                    kind,
                                    columnId.isPresent() ? "" + columnId.getAsInt() : "none",
                                    value.isPresent() ? "a value" : "no value",
                                    arguments.size()));
        }
        List<DataType> argumentTypes =
                arguments.stream().map(ScalarExpression::type).collect(Collectors.toList());
        if (!isComputed(kind, type, argumentTypes)) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an operator that aggregations know, found %s of %s to %s"
                            .formatted(kind, argumentTypes, type));
        }
        int nodes = 1;
        for (ScalarExpression argument : arguments) {
            nodes += argument.nodeCount();
        }
        if (nodes > MAX_NODES) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an expression of at most %s parts, found %s"
                            .formatted(MAX_NODES, nodes));
        }
    }

    public static ScalarExpression column(int columnId, DataType type) {
        return new ScalarExpression(
                Kind.COLUMN, type, OptionalInt.of(columnId), Optional.empty(), List.of());
    }

    /**
     * @param value in the form of {@link io.stele.protocol.row.ValueCodec}
     */
    public static ScalarExpression constant(DataType type, byte[] value) {
        return new ScalarExpression(
                Kind.CONSTANT, type, OptionalInt.empty(), Optional.of(value), List.of());
    }

    /** An operator, or a cast. */
    public static ScalarExpression of(Kind kind, DataType type, ScalarExpression... arguments) {
        return new ScalarExpression(
                kind, type, OptionalInt.empty(), Optional.empty(), List.of(arguments));
    }

    /** Whether sidecars compute an operator for these types. */
    public static boolean isComputed(Kind kind, DataType type, List<DataType> arguments) {
        if (kind.argumentCount != arguments.size()) {
            return false;
        }
        switch (kind) {
            case COLUMN:
            case CONSTANT:
                return AggregateCall.isRead(type);
            case WIDEN:
                return isWidened(arguments.get(0), type);
            default:
                return isArithmetic(kind, type, arguments.get(0), arguments.get(1));
        }
    }

    private static boolean isArithmetic(Kind kind, DataType type, DataType left, DataType right) {
        if (type instanceof DecimalType
                && left instanceof DecimalType
                && right instanceof DecimalType) {
            int scale = ((DecimalType) type).scale();
            int leftScale = ((DecimalType) left).scale();
            int rightScale = ((DecimalType) right).scale();
            return kind == Kind.MULTIPLY
                    ? scale == leftScale + rightScale
                    : scale >= leftScale && scale >= rightScale;
        }
        boolean isKnown =
                type.kind() == TypeKind.DOUBLE
                        || type.kind() == TypeKind.BIGINT
                        || type.kind() == TypeKind.INTEGER;
        return isKnown && type.equals(left) && type.equals(right);
    }

    private static boolean isWidened(DataType from, DataType to) {
        int digits = digits(from);
        if (to instanceof DecimalType && from instanceof DecimalType) {
            DecimalType narrow = (DecimalType) from;
            DecimalType wide = (DecimalType) to;
            return wide.scale() >= narrow.scale()
                    && wide.precision() - wide.scale() >= narrow.precision() - narrow.scale();
        }
        if (to instanceof DecimalType) {
            DecimalType wide = (DecimalType) to;
            return digits > 0 && wide.precision() - wide.scale() >= digits;
        }
        if (digits > 0) {
            return to.kind() == TypeKind.DOUBLE
                    || (digits(to) > 0 && to.form().width() >= from.form().width());
        }
        return (from.kind() == TypeKind.REAL && to.kind() == TypeKind.DOUBLE)
                || (from.kind() == TypeKind.VARCHAR && TypeWidening.isWidening(from, to));
    }

    /** The most digits of an integer type; 0 for another type. */
    private static int digits(DataType type) {
        switch (type.kind()) {
            case TINYINT:
                return 3;
            case SMALLINT:
                return 5;
            case INTEGER:
                return 10;
            case BIGINT:
                return 19;
            default:
                return 0;
        }
    }

    /** The ids of the columns that the expression reads, ascending. */
    @JsonIgnore
    public Set<Integer> columnIds() {
        Set<Integer> ids = new TreeSet<>();
        collectColumns(ids);
        return ids;
    }

    private void collectColumns(Set<Integer> ids) {
        columnId.ifPresent(ids::add);
        arguments.forEach(argument -> argument.collectColumns(ids));
    }

    /** The number of columns, constants and operators. */
    @JsonIgnore
    public int nodeCount() {
        int nodes = 1;
        for (ScalarExpression argument : arguments) {
            nodes += argument.nodeCount();
        }
        return nodes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ScalarExpression expression
                && kind == expression.kind
                && type.equals(expression.type)
                && columnId.equals(expression.columnId)
                && Arrays.equals(value.orElse(null), expression.value.orElse(null))
                && arguments.equals(expression.arguments);
    }

    @Override
    public int hashCode() {
        int hash = 31 * kind.name().hashCode() + type.text().hashCode();
        hash = 31 * hash + columnId.orElse(0);
        hash = 31 * hash + Arrays.hashCode(value.orElse(null));
        return 31 * hash + arguments.hashCode();
    }
}
