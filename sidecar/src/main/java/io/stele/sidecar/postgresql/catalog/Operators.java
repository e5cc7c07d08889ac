package io.stele.sidecar.postgresql.catalog;

import io.stele.sidecar.postgresql.catalog.relation.ArrayText;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The operators in expressions of catalog queries, on values that may be NULL. Stateless. */
final class Operators {
    private Operators() {}

    static Object and(Object left, Object right) {
        if (Boolean.FALSE.equals(left) || Boolean.FALSE.equals(right)) {
            return false;
        }
        return left == CatalogValues.NULL || right == CatalogValues.NULL
                ? CatalogValues.NULL
                : (Object) true;
    }

    static Object or(Object left, Object right) {
        if (Boolean.TRUE.equals(left) || Boolean.TRUE.equals(right)) {
            return true;
        }
        return left == CatalogValues.NULL || right == CatalogValues.NULL
                ? CatalogValues.NULL
                : (Object) false;
    }

    static Object not(Object value) {
        return value == CatalogValues.NULL
                ? CatalogValues.NULL
                : (Object) !CatalogValues.bool(value);
    }

    /** The value of a comparison such as {@code <=}. */
    static Object compare(String operator, Object left, Object right) {
        if (left == CatalogValues.NULL || right == CatalogValues.NULL) {
            return CatalogValues.NULL;
        }
        int order = CatalogValues.compare(left, right);
        return switch (operator) {
            case "=" -> order == 0;
            case "<>", "!=" -> order != 0;
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            case ">=" -> order >= 0;
            default -> throw CatalogValues.invalid("a comparison", operator);
        };
    }

    /** Whether a comparison is true of any or of all elements. */
    static Object quantified(String operator, Object left, Object right, boolean isAll) {
        if (left == CatalogValues.NULL || right == CatalogValues.NULL) {
            return CatalogValues.NULL;
        }
        Object result = isAll;
        for (Object element : elements(right).values()) {
            Object one = compare(operator, left, element);
            result = isAll ? and(result, one) : or(result, one);
        }
        return result;
    }

    static CatalogValues.Elements elements(Object value) {
        return value instanceof CatalogValues.Elements array
                ? array
                : new CatalogValues.Elements(ArrayText.parse(value.toString(), TypeOids.TEXT));
    }

    static Object arithmetic(String operator, Object left, Object right) {
        if (left == CatalogValues.NULL || right == CatalogValues.NULL) {
            return CatalogValues.NULL;
        }
        if (left instanceof Long a && right instanceof Long b) {
            return integers(operator, a, b);
        }
        BigDecimal a = CatalogValues.decimal(left);
        BigDecimal b = CatalogValues.decimal(right);
        boolean isDouble = left instanceof Double || right instanceof Double;
        if (operator.equals("/") || operator.equals("%")) {
            checkDivisor(b.signum());
        }
        BigDecimal result =
                switch (operator) {
                    case "+" -> a.add(b);
                    case "-" -> a.subtract(b);
                    case "*" -> a.multiply(b, MathContext.DECIMAL128);
                    case "/" -> a.divide(b, MathContext.DECIMAL64);
                    case "%" -> a.remainder(b);
                    default -> throw CatalogValues.invalid("integers beside " + operator, left);
                };
        if (isDouble) {
            return result.doubleValue();
        }
        boolean areTexts = left instanceof String || right instanceof String;
        return areTexts && result.scale() <= 0 && result.precision() < 18
                ? (Object) result.longValue()
                : result;
    }

    private static Object integers(String operator, long a, long b) {
        try {
            return switch (operator) {
                case "+" -> Math.addExact(a, b);
                case "-" -> Math.subtractExact(a, b);
                case "*" -> Math.multiplyExact(a, b);
                case "/" -> {
                    checkDivisor(Long.signum(b));
                    yield a / b;
                }
                case "%" -> {
                    checkDivisor(Long.signum(b));
                    yield a % b;
                }
                case "&" -> a & b;
                case "|" -> a | b;
                case "#" -> a ^ b;
                case "<<" -> a << b;
                case ">>" -> a >> b;
                default -> throw CatalogValues.invalid("an operator of integers", operator);
            };
        } catch (ArithmeticException e) {
            throw CatalogValues.invalid("a result of 64 bits", a + " " + operator + " " + b);
        }
    }

    private static void checkDivisor(int sign) {
        if (sign == 0) {
            throw new PostgresException(
                    SqlState.DIVISION_BY_ZERO,
                    "Expected a divisor other than 0 in a query of the catalog, found 0");
        }
    }

    /** Appends elements to arrays, or text to text. */
    static Object concat(Object left, Object right, Casts casts, int leftType, int rightType) {
        boolean areArrays =
                left instanceof CatalogValues.Elements || right instanceof CatalogValues.Elements;
        boolean hasArrayType =
                SystemCatalog.INSTANCE.elementOf(leftType) != 0
                        || SystemCatalog.INSTANCE.elementOf(rightType) != 0;
        if (areArrays || hasArrayType) {
            if (left == CatalogValues.NULL || right == CatalogValues.NULL) {
                return left == CatalogValues.NULL ? right : left;
            }
            List<Object> all = new ArrayList<>();
            for (Object side : List.of(left, right)) {
                if (side instanceof CatalogValues.Elements array) {
                    all.addAll(array.values());
                } else {
                    all.add(side);
                }
            }
            return new CatalogValues.Elements(all);
        }
        return left == CatalogValues.NULL || right == CatalogValues.NULL
                ? CatalogValues.NULL
                : casts.text(left, leftType) + casts.text(right, rightType);
    }

    /** A matcher of a regular expression of PostgreSQL, as far as Java's are the same. */
    static Pattern regex(String pattern, boolean ignoresCase) {
        try {
            return Pattern.compile(pattern.replaceFirst("^\\*\\*\\*:", ""), flags(ignoresCase));
        } catch (PatternSyntaxException e) {
            throw CatalogValues.invalid("a regular expression", "'" + pattern + "'");
        }
    }

    private static int flags(boolean ignoresCase) {
        return ignoresCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0;
    }
}
