package io.stele.sidecar.postgresql.type;

import io.stele.sidecar.postgresql.wire.Message;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The encoder and decoder of values in PostgreSQL's binary format, for results, parameters and
 * COPY; {@link PostgresType} defines the classes of values. The format is that of the functions
 * {@code *send} and {@code *recv} of PostgreSQL 15.
 *
 * <pre>
 * numbers     big-endian              date       days since 2000-01-01, 4
 * texts       UTF-8                   time       microseconds since midnight, 8
 * bytea       the bytes               timestamp  microseconds since 2000-01-01, 8
 * uuid        16 bytes                jsonb      1, then text
 * numeric     digits 2 | weight 2 | sign 2 | scale 2 | base-10,000 digits, 2 each
 * array       dimensions 4 | has nulls 4 | element type 4 | for each dimension: size 4, first index 4 | values with lengths
 * </pre>
 */
public final class BinaryFormat {
    /** 2000-01-01 in days since 1970. */
    public static final int EPOCH_DAY = 10_957;

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long EPOCH_SECOND = EPOCH_DAY * 86_400L;
    private static final int NUMERIC_POSITIVE = 0;
    private static final int NUMERIC_NEGATIVE = 0x4000;
    private static final BigInteger BASE = BigInteger.valueOf(10_000);
    private static final int BASE_DIGITS = 4;

    private BinaryFormat() {}

    /** Writes a value without its length. */
    public static void write(PostgresType type, Object value, MessageWriter out) {
        switch (type) {
            case BOOL -> out.putByte((Boolean) value ? 1 : 0);
            case INT2 -> out.putShort((Short) value);
            case INT4, OID -> out.putInt((Integer) value);
            case INT8 -> out.putLong((Long) value);
            case FLOAT4 -> out.putInt(Float.floatToIntBits((Float) value));
            case FLOAT8 -> out.putLong(Double.doubleToLongBits((Double) value));
            case NUMERIC -> writeNumeric((BigDecimal) value, out);
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN, JSON ->
                    out.putBytes(((String) value).getBytes(StandardCharsets.UTF_8));
            case JSONB ->
                    out.putByte(1).putBytes(((String) value).getBytes(StandardCharsets.UTF_8));
            case BYTEA -> out.putBytes((byte[]) value);
            case DATE -> out.putInt(days((LocalDate) value));
            case TIME -> out.putLong(((LocalTime) value).toNanoOfDay() / 1_000);
            case TIMESTAMP ->
                    out.putLong(micros(((LocalDateTime) value).toInstant(ZoneOffset.UTC)));
            case TIMESTAMPTZ -> out.putLong(micros((Instant) value));
            case UUID -> {
                UUID uuid = (UUID) value;
                out.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
            }
        }
    }

    /** Writes an array of one dimension without its length. */
    public static void writeArray(
            PostgresType element, List<? extends @Nullable Object> values, MessageWriter out) {
        boolean hasNulls = values.stream().anyMatch(value -> value == null);
        out.putInt(values.isEmpty() ? 0 : 1).putInt(hasNulls ? 1 : 0).putInt(element.oid());
        if (!values.isEmpty()) {
            out.putInt(values.size()).putInt(1);
        }
        for (Object value : values) {
            if (value == null) {
                out.putNull();
            } else {
                int start = out.beginValue();
                write(element, value, out);
                out.endValue(start);
            }
        }
    }

    /**
     * Days since 2000.
     *
     * @throws PostgresException DATETIME_OUT_OF_RANGE if 32 bits do not hold them
     */
    static int days(LocalDate date) {
        long day = date.toEpochDay();
        int days = (int) (day - EPOCH_DAY);
        if (days != day - EPOCH_DAY || day != (int) day) { // columns count from 1970
            throw new PostgresException(
                    SqlState.DATETIME_OUT_OF_RANGE,
                    "Expected a date that 32 bits of days hold, found " + date);
        }
        return days;
    }

    /**
     * Microseconds since 2000.
     *
     * @throws PostgresException DATETIME_OUT_OF_RANGE if 64 bits do not hold them
     */
    static long micros(Instant instant) {
        try {
            return Math.addExact(
                    Math.multiplyExact(instant.getEpochSecond() - EPOCH_SECOND, MICROS_PER_SECOND),
                    instant.getNano() / 1_000);
        } catch (ArithmeticException e) {
            throw new PostgresException(
                    SqlState.DATETIME_OUT_OF_RANGE,
                    "Expected a timestamp that 64 bits of microseconds hold, found " + instant);
        }
    }

    private static void writeNumeric(BigDecimal value, MessageWriter out) {
        int scale = Math.max(value.scale(), 0);
        // The decimal point is between two groups of four digits
        int fraction = (scale + BASE_DIGITS - 1) / BASE_DIGITS;
        BigInteger unscaled = value.abs().setScale(fraction * BASE_DIGITS).unscaledValue();
        List<Integer> groups = new ArrayList<>();
        while (unscaled.signum() != 0) {
            BigInteger[] parts = unscaled.divideAndRemainder(BASE);
            groups.addFirst(parts[1].intValue());
            unscaled = parts[0];
        }
        int weight = groups.size() - fraction - 1;
        while (!groups.isEmpty() && groups.getLast() == 0) {
            groups.removeLast();
        }
        out.putShort(groups.size())
                .putShort(groups.isEmpty() ? 0 : weight)
                .putShort(value.signum() < 0 ? NUMERIC_NEGATIVE : NUMERIC_POSITIVE)
                .putShort(scale);
        groups.forEach(out::putShort);
    }

    /**
     * Reads a value.
     *
     * @throws PostgresException INVALID_BINARY if the bytes are no value of the type
     */
    public static Object read(PostgresType type, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (type.sizeBytes() > 0 && !type.isText() && bytes.length != type.sizeBytes()) {
            throw invalid(type, bytes.length + " bytes");
        }
        return switch (type) {
            case BOOL -> in.get() != 0;
            case INT2 -> in.getShort();
            case INT4, OID -> in.getInt();
            case INT8 -> in.getLong();
            case FLOAT4 -> in.getFloat();
            case FLOAT8 -> in.getDouble();
            case NUMERIC -> readNumeric(in);
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN, JSON -> Message.decode(in);
            case JSONB -> {
                if (bytes.length == 0 || in.get() != 1) {
                    throw invalid(type, "another version than 1");
                }
                yield Message.decode(in.slice());
            }
            case BYTEA -> bytes;
            case DATE -> LocalDate.ofEpochDay((long) in.getInt() + EPOCH_DAY);
            case TIME -> time(in.getLong());
            case TIMESTAMP -> LocalDateTime.ofInstant(instant(in.getLong()), ZoneOffset.UTC);
            case TIMESTAMPTZ -> instant(in.getLong());
            case UUID -> new UUID(in.getLong(), in.getLong());
        };
    }

    private static LocalTime time(long micros) {
        if (micros < 0 || micros >= 86_400 * MICROS_PER_SECOND) {
            throw invalid(PostgresType.TIME, micros + " microseconds");
        }
        return LocalTime.ofNanoOfDay(micros * 1_000);
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, MICROS_PER_SECOND) + EPOCH_SECOND,
                Math.floorMod(micros, MICROS_PER_SECOND) * 1_000);
    }

    private static BigDecimal readNumeric(ByteBuffer in) {
        if (in.remaining() < 8) {
            throw invalid(PostgresType.NUMERIC, in.remaining() + " bytes");
        }
        int count = in.getShort() & 0xFFFF;
        int weight = in.getShort();
        int sign = in.getShort() & 0xFFFF;
        int scale = in.getShort() & 0xFFFF;
        if (in.remaining() != 2 * count || (sign != NUMERIC_POSITIVE && sign != NUMERIC_NEGATIVE)) {
            throw invalid(PostgresType.NUMERIC, "NaN, infinity or other digits than announced");
        }
        BigInteger digits = BigInteger.ZERO;
        for (int i = 0; i < count; i++) {
            short digit = in.getShort();
            if (digit < 0 || digit >= BASE.intValue()) {
                throw invalid(PostgresType.NUMERIC, "a digit " + digit);
            }
            digits = digits.multiply(BASE).add(BigInteger.valueOf(digit));
        }
        BigDecimal value = new BigDecimal(digits, (count - weight - 1) * BASE_DIGITS);
        BigDecimal scaled =
                value.scale() > scale
                        ? value.setScale(scale, java.math.RoundingMode.HALF_UP)
                        : value.setScale(scale);
        return sign == NUMERIC_NEGATIVE ? scaled.negate() : scaled;
    }

    /**
     * Reads a one-dimensional array.
     *
     * @throws PostgresException INVALID_BINARY for invalid bytes, FEATURE_NOT_SUPPORTED for more
     *     dimensions
     */
    public static List<@Nullable Object> readArray(PostgresType element, byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (in.remaining() < 12) {
            throw invalid(element, "an array of " + in.remaining() + " bytes");
        }
        int dimensions = in.getInt();
        in.getInt(); // whether there are nulls
        in.getInt(); // the type of the elements, which the parameter declares
        if (dimensions == 0) {
            return List.of();
        }
        if (dimensions != 1 || in.remaining() < 8) {
            throw new PostgresException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "Expected an array of one dimension, found " + dimensions);
        }
        int count = in.getInt();
        in.getInt(); // the first index
        if (count < 0 || (long) count * 4 > in.remaining()) {
            throw invalid(element, "an array of " + count + " elements");
        }
        List<@Nullable Object> elements = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int length = in.remaining() < 4 ? Integer.MAX_VALUE : in.getInt();
            if (length == -1) {
                elements.add(null);
                continue;
            }
            if (length < 0 || length > in.remaining()) {
                throw invalid(element, "an element beyond the end");
            }
            byte[] value = new byte[length];
            in.get(value);
            elements.add(read(element, value));
        }
        return elements;
    }

    private static PostgresException invalid(PostgresType type, String found) {
        return new PostgresException(
                SqlState.INVALID_BINARY,
                "Expected a binary value of type %s, found %s".formatted(type.sqlName(), found));
    }
}
