package io.stele.connector.write;

import io.airlift.slice.Slice;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import io.trino.orc.metadata.OrcColumnId;
import io.trino.orc.metadata.OrcType;
import io.trino.orc.metadata.statistics.BooleanStatistics;
import io.trino.orc.metadata.statistics.ColumnStatistics;
import io.trino.orc.metadata.statistics.RangeStatistics;
import io.trino.spi.type.Int128;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A converter of the column statistics of trino-orc's writer into those of manifests. Bounds may be
 * wider than the values. Stateless.
 */
final class OrcStatistics {
    private OrcStatistics() {}

    /** Statistics by column id. */
    static Map<Integer, ColumnStats> of(
            List<ColumnSchema> columns,
            io.trino.orc.metadata.ColumnMetadata<OrcType> types,
            io.trino.orc.metadata.ColumnMetadata<ColumnStatistics> statistics,
            long rowCount) {
        Map<Integer, ColumnStats> result = new HashMap<>();
        List<OrcColumnId> roots = types.get(OrcColumnId.ROOT_COLUMN).getFieldTypeIndexes();
        for (int index = 0; index < columns.size(); index++) {
            ColumnSchema column = columns.get(index);
            ColumnStatistics found = statistics.get(roots.get(index));
            if (found != null && found.hasNumberOfValues()) {
                result.put(column.id(), column(column.type(), found, rowCount));
            }
        }
        return result;
    }

    private static ColumnStats column(DataType type, ColumnStatistics found, long rowCount) {
        long nullCount = rowCount - found.getNumberOfValues();
        Optional<Bounds> bounds = type.isOrderable() ? bounds(type, found) : Optional.empty();
        // trino-orc writes no range of floating point columns with a NaN
        boolean mayHaveNaN =
                switch (type.kind()) {
                    case REAL, DOUBLE -> bounds.isEmpty();
                    default -> false;
                };
        return new ColumnStats(
                bounds.map(Bounds::min), bounds.map(Bounds::max), nullCount, mayHaveNaN);
    }

    private static Optional<Bounds> bounds(DataType type, ColumnStatistics found) {
        ValueCodec codec = ValueCodec.of(type);
        return switch (type.kind()) {
            case BOOLEAN -> booleans(codec, found);
            case TINYINT, SMALLINT, INTEGER, BIGINT, TIME -> integers(codec, found);
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    type.form() == PhysicalForm.INT64
                            ? integers(codec, found)
                            : decimals(codec, type, found);
            case DATE ->
                    range(
                            found.getDateStatistics(),
                            days -> codec.encodeLong(days),
                            days -> codec.encodeLong(days));
            case REAL ->
                    range(
                            found.getDoubleStatistics(),
                            value -> codec.encodeFloat(value.floatValue()),
                            value -> codec.encodeFloat(value.floatValue()));
            case DOUBLE ->
                    range(found.getDoubleStatistics(), codec::encodeDouble, codec::encodeDouble);
            case DECIMAL -> decimals(codec, type, found);
            case VARCHAR ->
                    range(
                            found.getStringStatistics(),
                            value -> text(codec, value),
                            value -> text(codec, value));
            // No range in the file, or one in another order
            case CHAR, VARBINARY, UUID, JSON, ARRAY, MAP, ROW -> Optional.empty();
        };
    }

    private static Optional<Bounds> booleans(ValueCodec codec, ColumnStatistics found) {
        BooleanStatistics booleans = found.getBooleanStatistics();
        if (booleans == null || found.getNumberOfValues() == 0) {
            return Optional.empty();
        }
        boolean hasFalse = booleans.getTrueValueCount() < found.getNumberOfValues();
        boolean hasTrue = booleans.getTrueValueCount() > 0;
        return Optional.of(
                new Bounds(codec.encodeBoolean(!hasFalse), codec.encodeBoolean(hasTrue)));
    }

    private static Optional<Bounds> integers(ValueCodec codec, ColumnStatistics found) {
        return range(found.getIntegerStatistics(), codec::encodeLong, codec::encodeLong);
    }

    private static Optional<Bounds> decimals(
            ValueCodec codec, DataType type, ColumnStatistics found) {
        return range(
                found.getDecimalStatistics(),
                value -> decimal(codec, type, value),
                value -> decimal(codec, type, value));
    }

    private static byte[] decimal(ValueCodec codec, DataType type, BigDecimal value) {
        java.math.BigInteger unscaled = value.setScale(type.scale()).unscaledValue();
        if (type.form() == PhysicalForm.INT64) {
            return codec.encodeLong(unscaled.longValueExact());
        }
        Int128 wide = Int128.valueOf(unscaled);
        return codec.encodeInt128(wide.getHigh(), wide.getLow());
    }

    private static byte[] text(ValueCodec codec, Slice value) {
        return codec.encodeBytes(value.byteArray(), value.byteArrayOffset(), value.length());
    }

    private static <T> Optional<Bounds> range(
            @org.jspecify.annotations.Nullable RangeStatistics<T> range,
            Function<T, byte[]> min,
            Function<T, byte[]> max) {
        if (range == null || range.getMin() == null || range.getMax() == null) {
            return Optional.empty();
        }
        return Optional.of(new Bounds(min.apply(range.getMin()), max.apply(range.getMax())));
    }

    private record Bounds(byte[] min, byte[] max) {}
}
