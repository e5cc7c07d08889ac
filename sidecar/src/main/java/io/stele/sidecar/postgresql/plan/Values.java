package io.stele.sidecar.postgresql.plan;

import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.UUID;

/**
 * The arithmetic, comparison and casts in fixed plans, on values of the classes of {@link
 * PostgresType}. Stateless.
 */
final class Values {
    private static final int MAX_DIGITS = 20_000;
    private static final int MIN_QUOTIENT_SCALE = 16; // as PostgreSQL has at least

    private Values() {}

    /**
     * The order of two values that are not null; texts by code points, which is PostgreSQL's
     * collation "C".
     *
     * @throws PostgresException UNDEFINED_FUNCTION if they have no order
     */
    static int compare(Object left, Object right, ZoneId zone) {
        if (left instanceof Number first && right instanceof Number second) {
            return compareNumbers(first, second);
        }
        if (left instanceof String first && right instanceof String second) {
            return Arrays.compareUnsigned(
                    first.getBytes(StandardCharsets.UTF_8),
                    second.getBytes(StandardCharsets.UTF_8));
        }
        if (left instanceof Boolean first && right instanceof Boolean second) {
            return Boolean.compare(first, second);
        }
        if (left instanceof LocalTime first && right instanceof LocalTime second) {
            return first.compareTo(second);
        }
        if (left instanceof LocalDate first && right instanceof LocalDate second) {
            return first.compareTo(second);
        }
        if (isTime(left) && isTime(right)) {
            return instant(left, zone).compareTo(instant(right, zone));
        }
        if (left instanceof UUID first && right instanceof UUID second) {
            int order =
                    Long.compareUnsigned(
                            first.getMostSignificantBits(), second.getMostSignificantBits());
            return order != 0
                    ? order
                    : Long.compareUnsigned(
                            first.getLeastSignificantBits(), second.getLeastSignificantBits());
        }
        if (left instanceof byte[] first && right instanceof byte[] second) {
            return Arrays.compareUnsigned(first, second);
        }
        throw new PostgresException(
                SqlState.UNDEFINED_FUNCTION,
                "Expected two values of types that can be compared, found a %s and a %s"
                        .formatted(
                                left.getClass().getSimpleName(), right.getClass().getSimpleName()));
    }

    private static boolean isTime(Object value) {
        return value instanceof LocalDate
                || value instanceof LocalDateTime
                || value instanceof Instant;
    }

    private static Instant instant(Object value, ZoneId zone) {
        return switch (value) {
            case LocalDate date -> date.atStartOfDay(zone).toInstant();
            case LocalDateTime time -> time.atZone(zone).toInstant();
            default -> (Instant) value;
        };
    }

    private static int compareNumbers(Number left, Number right) {
        if (isReal(left) || isReal(right)) {
            // 0.0 and -0.0 are equal, NaN is equal to itself and above all
            return Double.compare(left.doubleValue() + 0.0, right.doubleValue() + 0.0);
        }
        if (left instanceof BigDecimal || right instanceof BigDecimal) {
            return decimal(left).compareTo(decimal(right));
        }
        return Long.compare(left.longValue(), right.longValue());
    }

    private static boolean isReal(Number number) {
        return number instanceof Double || number instanceof Float;
    }

    static BigDecimal decimal(Number number) {
        return switch (number) {
            case BigDecimal exact -> exact;
            case Double real -> finite(real, real.toString());
            case Float real -> finite(real, real.toString());
            default -> BigDecimal.valueOf(number.longValue());
        };
    }

    private static BigDecimal finite(double real, String text) {
        if (Double.isNaN(real) || Double.isInfinite(real)) {
            throw outOfRange(PostgresType.NUMERIC, text);
        }
        return new BigDecimal(text);
    }

    /** The type of the result of arithmetic; the caller ensures that both are numbers. */
    static PostgresType arithmeticType(PostgresType left, PostgresType right) {
        if (left == PostgresType.FLOAT8 || right == PostgresType.FLOAT8) {
            return PostgresType.FLOAT8;
        }
        if (left == PostgresType.FLOAT4 || right == PostgresType.FLOAT4) {
            return left == right ? PostgresType.FLOAT4 : PostgresType.FLOAT8;
        }
        if (left == PostgresType.NUMERIC || right == PostgresType.NUMERIC) {
            return PostgresType.NUMERIC;
        }
        if (left == PostgresType.INT8 || right == PostgresType.INT8) {
            return PostgresType.INT8;
        }
        return left == PostgresType.INT2 && right == PostgresType.INT2
                ? PostgresType.INT2
                : PostgresType.INT4;
    }

    static Object arithmetic(char operator, PostgresType type, Number left, Number right) {
        return switch (type) {
            case FLOAT8 -> real(operator, left.doubleValue(), right.doubleValue());
            case FLOAT4 -> (float) real(operator, left.floatValue(), right.floatValue());
            case NUMERIC -> exact(operator, decimal(left), decimal(right));
            default -> cast(whole(operator, left.longValue(), right.longValue()), type);
        };
    }

    private static double real(char operator, double left, double right) {
        if ((operator == '/' || operator == '%') && right == 0) {
            throw divisionByZero();
        }
        return switch (operator) {
            case '+' -> left + right;
            case '-' -> left - right;
            case '*' -> left * right;
            case '/' -> left / right;
            default -> left % right;
        };
    }

    private static BigDecimal exact(char operator, BigDecimal left, BigDecimal right) {
        if ((operator == '/' || operator == '%') && right.signum() == 0) {
            throw divisionByZero();
        }
        BigDecimal result = unchecked(operator, left, right);
        if (result.precision() > MAX_DIGITS || Math.abs((long) result.scale()) > MAX_DIGITS) {
            throw outOfRange(PostgresType.NUMERIC, "one of more than " + MAX_DIGITS + " digits");
        }
        return result;
    }

    private static BigDecimal unchecked(char operator, BigDecimal left, BigDecimal right) {
        return switch (operator) {
            case '+' -> left.add(right);
            case '-' -> left.subtract(right);
            case '*' -> left.multiply(right);
            case '/' ->
                    left.divide(
                            right,
                            Math.max(MIN_QUOTIENT_SCALE, Math.max(left.scale(), right.scale())),
                            RoundingMode.HALF_UP);
            default -> left.remainder(right);
        };
    }

    private static Long whole(char operator, long left, long right) {
        if ((operator == '/' || operator == '%') && right == 0) {
            throw divisionByZero();
        }
        try {
            return switch (operator) {
                case '+' -> Math.addExact(left, right);
                case '-' -> Math.subtractExact(left, right);
                case '*' -> Math.multiplyExact(left, right);
                case '/' -> Math.divideExact(left, right);
                default -> left % right;
            };
        } catch (ArithmeticException e) {
            throw outOfRange(PostgresType.INT8, left + " " + operator + " " + right);
        }
    }

    private static PostgresException divisionByZero() {
        return new PostgresException(
                SqlState.DIVISION_BY_ZERO, "Expected a divisor other than 0, found 0");
    }

    private static PostgresException outOfRange(PostgresType type, String found) {
        return new PostgresException(
                SqlState.NUMERIC_OUT_OF_RANGE,
                "Expected a number in the range of %s, found %s".formatted(type.sqlName(), found));
    }

    /** Only an infinite number is infinite in another type. */
    private static <T extends Number> T finite(PostgresType type, Number from, T real) {
        if (Double.isInfinite(real.doubleValue()) && !Double.isInfinite(from.doubleValue())) {
            throw outOfRange(type, from.toString());
        }
        return real;
    }

    /** A number as another type of number: rounded, and in its range. */
    static Object cast(Number number, PostgresType type) {
        return switch (type) {
            case FLOAT4 -> finite(type, number, number.floatValue());
            case FLOAT8 -> finite(type, number, number.doubleValue());
            case NUMERIC -> decimal(number);
            default -> {
                long whole;
                try {
                    whole =
                            decimal(number)
                                    .setScale(
                                            0,
                                            isReal(number)
                                                    ? RoundingMode.HALF_EVEN
                                                    : RoundingMode.HALF_UP)
                                    .longValueExact();
                } catch (ArithmeticException e) {
                    throw outOfRange(type, number.toString());
                }
                yield switch (type) {
                    case INT8 -> whole;
                    case INT2 -> (short) checked(whole, (short) whole, type);
                    default -> (int) checked(whole, (int) whole, type);
                };
            }
        };
    }

    private static long checked(long whole, long kept, PostgresType type) {
        if (whole != kept) {
            throw outOfRange(type, Long.toString(whole));
        }
        return whole;
    }

    /**
     * A value as another type.
     *
     * @throws PostgresException if it has none
     */
    static Object cast(Object value, PostgresType type, ZoneId zone) {
        if (value instanceof String text && !type.isText()) {
            return TextFormat.read(type, text, zone);
        }
        if (type.isText()) {
            return value instanceof String
                    ? value
                    : value instanceof Boolean truth ? truth.toString() : TextFormat.write(value);
        }
        if (value instanceof Number number && type.isNumber()) {
            return cast(number, type);
        }
        return switch (type) {
            case DATE ->
                    switch (value) {
                        case LocalDate date -> date;
                        case LocalDateTime time -> time.toLocalDate();
                        case Instant instant -> LocalDate.ofInstant(instant, zone);
                        default -> throw noCast(value, type);
                    };
            case TIMESTAMP ->
                    switch (value) {
                        case LocalDate date -> date.atStartOfDay();
                        case LocalDateTime time -> time;
                        case Instant instant -> LocalDateTime.ofInstant(instant, zone);
                        default -> throw noCast(value, type);
                    };
            case TIMESTAMPTZ -> {
                if (!isTime(value)) {
                    throw noCast(value, type);
                }
                yield instant(value, zone);
            }
            case TIME ->
                    switch (value) {
                        case LocalTime time -> time;
                        case LocalDateTime time -> time.toLocalTime();
                        default -> throw noCast(value, type);
                    };
            case BOOL -> {
                if (value instanceof Boolean) {
                    yield value;
                }
                if (value instanceof Integer number) {
                    yield number != 0;
                }
                throw noCast(value, type);
            }
            case BYTEA -> {
                if (!(value instanceof byte[])) {
                    throw noCast(value, type);
                }
                yield value;
            }
            case UUID -> {
                if (!(value instanceof UUID)) {
                    throw noCast(value, type);
                }
                yield value;
            }
            default -> throw noCast(value, type);
        };
    }

    private static PostgresException noCast(Object value, PostgresType type) {
        return new PostgresException(
                SqlState.DATATYPE_MISMATCH,
                "Expected a value that can be cast to %s, found a %s"
                        .formatted(type.sqlName(), value.getClass().getSimpleName()));
    }
}
