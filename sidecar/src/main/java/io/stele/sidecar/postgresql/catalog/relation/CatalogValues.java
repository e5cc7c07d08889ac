package io.stele.sidecar.postgresql.catalog.relation;

import static com.google.common.base.Preconditions.checkArgument;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The values of catalog queries: Boolean, Long, Double, BigDecimal, String, {@link Elements},
 * {@link Fields} and {@link #NULL}. OIDs and all integers are Long; values without a form of their
 * own, such as timestamps, are Strings.
 */
public final class CatalogValues {
    /** SQL's NULL. */
    public static final Object NULL =
            new Object() {
                @Override
                public String toString() {
                    return "NULL";
                }
            };

    private CatalogValues() {}

    /**
     * An array.
     *
     * @param lowerBound the index of the first element: 1, but 0 in vectors
     */
    public record Elements(List<Object> values, int lowerBound) {
        public Elements {
            values = List.copyOf(values);
        }

        public Elements(List<Object> values) {
            this(values, 1);
        }

        /** The element at a subscript; NULL outside of the bounds. */
        public Object at(long subscript) {
            long index = subscript - lowerBound;
            return index >= 0 && index < values.size() ? values.get((int) index) : NULL;
        }
    }

    /** A row value. */
    public record Fields(List<String> names, List<Object> values) {
        public Fields {
            names = List.copyOf(names);
            values = List.copyOf(values);
        }

        public Object field(String name) {
            int index = names.indexOf(name);
            checkArgument(index >= 0, "no field %s", name);
            return values.get(index);
        }
    }

    public static boolean isTrue(Object value) {
        return Boolean.TRUE.equals(value);
    }

    public static SteleException invalid(String expected, Object found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected %s in a query of the catalog, found %s".formatted(expected, found));
    }

    public static Map<Object, List<Object[]>> groupBy(
            List<Object[]> rows,
            Function<Object[], Object> key,
            Map<Object, List<Object[]>> groups) {
        for (Object[] row : rows) {
            Object value = key.apply(row);
            if (value != NULL) {
                groups.computeIfAbsent(value, ignored -> new ArrayList<>()).add(row);
            }
        }
        return groups;
    }

    /** A form that is equal for equal values, for hashing. */
    public static Object key(Object value) {
        return switch (value) {
            case Double number ->
                    number == Math.rint(number) && Math.abs(number) < 1L << 53
                            ? (Object) number.longValue()
                            : number;
            case BigDecimal number ->
                    number.stripTrailingZeros().scale() <= 0 && number.precision() < 18
                            ? (Object) number.longValue()
                            : number.stripTrailingZeros();
            default -> value;
        };
    }

    /** Compares two values that are not NULL; a text beside another type is read as that type. */
    public static int compare(Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            return Long.compare(a, b);
        }
        if (left instanceof String a && right instanceof String b) {
            return a.compareTo(b);
        }
        if (left instanceof Boolean a && right instanceof Boolean b) {
            return Boolean.compare(a, b);
        }
        if (left instanceof Elements a && right instanceof Elements b) {
            return compareElements(a, b);
        }
        if (left instanceof Fields a && right instanceof Fields b) {
            return compareElements(new Elements(a.values()), new Elements(b.values()));
        }
        if (left instanceof String text) {
            return compare(like(text, right), right);
        }
        if (right instanceof String text) {
            return compare(left, like(text, left));
        }
        if (left instanceof Number && right instanceof Number) {
            return decimal(left).compareTo(decimal(right));
        }
        throw invalid("values that can be compared", left + " and " + right);
    }

    private static int compareElements(Elements left, Elements right) {
        int common = Math.min(left.values().size(), right.values().size());
        for (int index = 0; index < common; index++) {
            Object a = left.values().get(index);
            Object b = right.values().get(index);
            int order =
                    a == NULL || b == NULL ? Boolean.compare(a == NULL, b == NULL) : compare(a, b);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.values().size(), right.values().size());
    }

    private static Object like(String text, Object example) {
        return switch (example) {
            case Boolean ignored -> bool(text);
            case Number ignored -> number(text);
            case Elements elements -> {
                boolean areNumbers =
                        !elements.values().isEmpty() && elements.values().get(0) instanceof Long;
                yield new Elements(
                        ArrayText.parse(text, areNumbers ? TypeOids.INT8 : TypeOids.TEXT));
            }
            default -> text;
        };
    }

    public static BigDecimal decimal(Object value) {
        return switch (value) {
            case Long number -> BigDecimal.valueOf(number);
            case Double number -> BigDecimal.valueOf(number);
            case BigDecimal number -> number;
            case String text -> decimal(number(text));
            default -> throw invalid("a number", value);
        };
    }

    public static long integer(Object value) {
        return switch (value) {
            case Long number -> number;
            case Number number -> number.longValue();
            case Boolean flag -> flag ? 1 : 0;
            case String text -> integer(number(text));
            default -> throw invalid("an integer", value);
        };
    }

    private static Object number(String text) {
        try {
            String trimmed = text.strip();
            return trimmed.matches("[+-]?[0-9]{1,18}")
                    ? (Object) Long.parseLong(trimmed)
                    : new BigDecimal(trimmed);
        } catch (NumberFormatException e) {
            throw invalid("a number", "'" + text + "'");
        }
    }

    public static Boolean bool(Object value) {
        if (value instanceof Boolean flag) {
            return flag;
        }
        if (value instanceof Long number) {
            return number != 0;
        }
        return switch (value.toString().strip().toLowerCase(Locale.ROOT)) {
            case "t", "true", "y", "yes", "on", "1" -> true;
            case "f", "false", "n", "no", "off", "0" -> false;
            default -> throw invalid("a boolean", "'" + value + "'");
        };
    }
}
