package io.stele.sidecar.flight.sql;

import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowColumnBuilder;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.row.BinaryRow;
import io.stele.sidecar.postgresql.plan.FixedPlan.ResultColumn;
import io.stele.sidecar.postgresql.run.RowSink;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * An encoder of the rows of a Flight SQL result into Arrow batches. Values of table columns are
 * copied from the row to the column's buffers without an object in between. Confined to one thread.
 */
final class ArrowRowSink implements RowSink {
    private static final int COMPUTED = -1;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int MAX_BATCH_ROWS = 64 << 10; // beyond, batches are no cheaper

    private final ArrowBatchEncoder encoder;
    private final int[] columns; // positions in the table's row, or COMPUTED
    private final PostgresType[] types;

    private ArrowRowSink(ResultSchema schema, int[] columns, PostgresType[] types) {
        this.encoder = new ArrowBatchEncoder(schema.fields());
        this.columns = columns;
        this.types = types;
    }

    static ArrowRowSink of(ResultSchema schema, List<ResultColumn> results) {
        int[] columns = new int[results.size()];
        PostgresType[] types = new PostgresType[columns.length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = results.get(i).column().orElse(COMPUTED);
            types[i] = results.get(i).type();
        }
        return new ArrowRowSink(schema, columns, types);
    }

    /** A sink of rows whose values are all objects. */
    static ArrowRowSink ofValues(ResultSchema schema, List<PostgresType> types) {
        return new ArrowRowSink(schema, new int[types.size()], types.toArray(PostgresType[]::new));
    }

    @Override
    public void row(BinaryRow row, IntFunction<@Nullable Object> values) {
        for (int i = 0; i < columns.length; i++) {
            ArrowColumnBuilder column = encoder.column(i);
            if (columns[i] == COMPUTED) {
                append(types[i], values.apply(i), column);
            } else {
                column.append(row, columns[i]);
            }
        }
    }

    @Override
    public void values(List<? extends @Nullable Object> values) {
        for (int i = 0; i < columns.length; i++) {
            append(types[i], values.get(i), encoder.column(i));
        }
    }

    int rowCount() {
        return encoder.rowCount();
    }

    /** Whether the batch is large enough to be sent. */
    boolean isFull(long batchBytes) {
        return encoder.rowCount() >= MAX_BATCH_ROWS || encoder.sizeBytes() >= batchBytes;
    }

    ArrowMessage finish() {
        return encoder.finish();
    }

    private static void append(
            PostgresType type, @Nullable Object value, ArrowColumnBuilder column) {
        if (value == null) {
            column.appendNull();
            return;
        }
        switch (type) {
            case BOOL -> column.appendBoolean((Boolean) value);
            case INT2, INT4, OID, INT8 -> column.appendLong(((Number) value).longValue());
            case FLOAT4 -> column.appendFloat((Float) value);
            case FLOAT8 -> column.appendDouble((Double) value);
            case NUMERIC -> appendNumeric((BigDecimal) value, column);
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN, JSON, JSONB ->
                    appendBytes(((String) value).getBytes(StandardCharsets.UTF_8), column);
            case BYTEA -> appendBytes((byte[]) value, column);
            case DATE -> column.appendLong(((LocalDate) value).toEpochDay());
            case TIME -> column.appendLong(((LocalTime) value).toNanoOfDay());
            case TIMESTAMP ->
                    column.appendLong(micros(((LocalDateTime) value).toInstant(ZoneOffset.UTC)));
            case TIMESTAMPTZ -> column.appendLong(micros((Instant) value));
            case UUID -> {
                UUID uuid = (UUID) value;
                column.appendInt128(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
            }
        }
    }

    private static void appendBytes(byte[] bytes, ArrowColumnBuilder column) {
        column.appendBytes(bytes, 0, bytes.length);
    }

    private static void appendNumeric(BigDecimal value, ArrowColumnBuilder column) {
        try {
            BigDecimal scaled = value.setScale(ArrowTypes.NUMERIC_SCALE, RoundingMode.UNNECESSARY);
            if (scaled.precision() <= io.stele.protocol.schema.DecimalType.MAX_PRECISION) {
                BigInteger unscaled = scaled.unscaledValue();
                column.appendInt128(
                        unscaled.shiftRight(Long.SIZE).longValueExact(), unscaled.longValue());
                return;
            }
        } catch (ArithmeticException tooLong) {
            // refused below
        }
        throw new PostgresException(
                SqlState.NUMERIC_OUT_OF_RANGE,
                "Expected a computed number that decimal(38, %s) holds, found %s; cast it to double precision or text"
                        .formatted(ArrowTypes.NUMERIC_SCALE, value));
    }

    private static long micros(Instant instant) {
        try {
            return Math.addExact(
                    Math.multiplyExact(instant.getEpochSecond(), MICROS_PER_SECOND),
                    instant.getNano() / 1_000);
        } catch (ArithmeticException e) {
            throw new PostgresException(
                    SqlState.DATETIME_OUT_OF_RANGE,
                    "Expected a timestamp that 64 bits of microseconds hold, found " + instant);
        }
    }
}
