package io.stele.protocol.aggregate;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TypeKind;
import java.util.Optional;
import java.util.Set;

/**
 * One function call of a pushed-down {@link Aggregation}: a function and its argument. Immutable.
 *
 * @param argument of the function; empty only for COUNT of all rows
 */
public record AggregateCall(AggregateFunction function, Optional<ScalarExpression> argument) {
    private static final Set<TypeKind> NUMBERS =
            Set.of(
                    TypeKind.TINYINT,
                    TypeKind.SMALLINT,
                    TypeKind.INTEGER,
                    TypeKind.BIGINT,
                    TypeKind.REAL,
                    TypeKind.DOUBLE,
                    TypeKind.DECIMAL);

    private static final Set<TypeKind> READ_BESIDE_NUMBERS =
            Set.of(TypeKind.BOOLEAN, TypeKind.DATE, TypeKind.TIMESTAMP, TypeKind.VARCHAR);

    public AggregateCall {
        requireNonNull(function, "function is null");
        requireNonNull(argument, "argument is null");
        if (argument.isEmpty() && function != AggregateFunction.COUNT) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT, "Expected an argument of " + function);
        }
        if (argument.isPresent() && !isSupported(function, argument.get().type())) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a type that %s has, found %s"
                            .formatted(function, argument.get().type()));
        }
    }

    /** Whether sidecars compute a function for values of a type. */
    public static boolean isSupported(AggregateFunction function, DataType type) {
        switch (function) {
            case COUNT:
                return isRead(type);
            case SUM:
            case AVG:
                return isNumber(type);
            default:
                return isRead(type) && type.isOrderable();
        }
    }

    /** Whether values of a type can be arguments, groups and conditions of an aggregation. */
    public static boolean isRead(DataType type) {
        return isNumber(type) || READ_BESIDE_NUMBERS.contains(type.kind());
    }

    /**
     * Whether rows can be grouped by values of a type; equal values of other types may differ in
     * their bytes.
     */
    public static boolean isGroupable(DataType type) {
        return isRead(type) && type.kind() != TypeKind.REAL && type.kind() != TypeKind.DOUBLE;
    }

    /** The type of the result. */
    @JsonIgnore
    public DataType resultType() {
        DataType type = argument.map(ScalarExpression::type).orElse(ScalarType.BIGINT);
        switch (function) {
            case COUNT:
                return ScalarType.BIGINT;
            case SUM:
                if (type instanceof DecimalType) {
                    return new DecimalType(DecimalType.MAX_PRECISION, ((DecimalType) type).scale());
                }
                return type.form().isLong() ? ScalarType.BIGINT : type;
            case AVG:
                return type.kind() != TypeKind.DECIMAL && type.form().isLong()
                        ? ScalarType.DOUBLE
                        : type;
            default:
                return type;
        }
    }

    private static boolean isNumber(DataType type) {
        return NUMBERS.contains(type.kind());
    }
}
