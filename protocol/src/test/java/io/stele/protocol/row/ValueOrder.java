package io.stele.protocol.row;

import io.stele.protocol.schema.DataType;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/**
 * The order of Java values that Trino has, written without our encodings: the oracle of the
 * encodings.
 */
public final class ValueOrder {
    private ValueOrder() {}

    /** Compares two values of a type, not null. */
    @SuppressWarnings("unchecked")
    public static int compare(DataType type, Object left, Object right) {
        return switch (type.kind()) {
            case REAL -> Float.compare((float) canonical(left), (float) canonical(right));
            case DOUBLE -> Double.compare((double) canonical(left), (double) canonical(right));
            case DECIMAL -> ((BigDecimal) left).compareTo((BigDecimal) right);
            case VARCHAR -> compareCodePoints((String) left, (String) right, -1);
            case CHAR -> compareCodePoints((String) left, (String) right, ' ');
            case VARBINARY -> Arrays.compareUnsigned((byte[]) left, (byte[]) right);
            case UUID -> compareUuids((UUID) left, (UUID) right);
            default -> ((Comparable<Object>) left).compareTo(right);
        };
    }

    /** -0.0 as 0.0: the same value under another name. */
    public static Object canonical(Object value) {
        if (value instanceof Float number && number == 0) {
            return 0.0f;
        }
        if (value instanceof Double number && number == 0) {
            return 0.0;
        }
        return value;
    }

    /** By code point, a string that ends going on with {@code pad}. */
    private static int compareCodePoints(String left, String right, int pad) {
        int[] leftPoints = left.codePoints().toArray();
        int[] rightPoints = right.codePoints().toArray();
        for (int i = 0; i < Math.max(leftPoints.length, rightPoints.length); i++) {
            int leftPoint = i < leftPoints.length ? leftPoints[i] : pad;
            int rightPoint = i < rightPoints.length ? rightPoints[i] : pad;
            if (leftPoint != rightPoint) {
                return Integer.compare(leftPoint, rightPoint);
            }
        }
        return 0;
    }

    private static int compareUuids(UUID left, UUID right) {
        byte[] leftBytes = left.toString().replace("-", "").getBytes(StandardCharsets.US_ASCII);
        byte[] rightBytes = right.toString().replace("-", "").getBytes(StandardCharsets.US_ASCII);
        return Arrays.compareUnsigned(leftBytes, rightBytes);
    }
}
