package io.stele.connector.metadata.catalog;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slices;
import io.stele.connector.type.NativeValues;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimeType;
import io.trino.spi.block.RowValueBuilder;
import io.trino.spi.block.SqlRow;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.type.Chars;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A decoder of the partition values that files of a table carry, into Trino's values. */
public final class PartitionValues {
    private final List<ColumnSchema> columns;
    private final List<Type> types;
    private final KeyEncoder encoder;

    public PartitionValues(TableSchema table, TrinoTypes trinoTypes) {
        requireNonNull(trinoTypes, "trinoTypes is null");
        this.columns = table.columns(table.partitionedBy());
        this.types =
                columns.stream()
                        .map(column -> trinoTypes.toTrino(column.type()))
                        .collect(ImmutableList.toImmutableList());
        this.encoder = KeyEncoder.forColumns(table, table.partitionedBy());
    }

    public List<ColumnMetadata> columnMetadata() {
        ImmutableList.Builder<ColumnMetadata> metadata = ImmutableList.builder();
        for (int i = 0; i < columns.size(); i++) {
            metadata.add(new ColumnMetadata(columns.get(i).name(), types.get(i)));
        }
        return metadata.build();
    }

    /** All columns as the fields of one value. */
    public RowType rowType() {
        ImmutableList.Builder<RowType.Field> fields = ImmutableList.builder();
        for (int i = 0; i < columns.size(); i++) {
            fields.add(RowType.field(columns.get(i).name(), types.get(i)));
        }
        return RowType.from(fields.build());
    }

    /** One native value a column; {@code partition} as {@link KeyEncoder} encodes it. */
    public List<@Nullable Object> values(byte[] partition) {
        List<Optional<byte[]>> encoded = encoder.split(partition);
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < encoded.size(); i++) {
            DataType stored = columns.get(i).type();
            values.add(encoded.get(i).map(bytes -> value(stored, bytes)).orElse(null));
        }
        return values;
    }

    /** The values as one row of {@link #rowType}. */
    public SqlRow row(byte[] partition) {
        List<@Nullable Object> values = values(partition);
        return RowValueBuilder.buildRowValue(
                rowType(),
                fields -> {
                    for (int i = 0; i < values.size(); i++) {
                        TypeUtils.writeNativeValue(types.get(i), fields.get(i), values.get(i));
                    }
                });
    }

    private static Object value(DataType stored, byte[] encoded) {
        return switch (stored.kind()) {
            case VARCHAR, VARBINARY, UUID -> Slices.wrappedBuffer(encoded);
            case CHAR -> Chars.trimTrailingSpaces(Slices.wrappedBuffer(encoded));
            case TIME ->
                    ValueCodec.of(stored).decodeLong(encoded)
                            * NativeValues.picosPerUnit((TimeType) stored);
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    DECIMAL,
                    DATE,
                    TIMESTAMP,
                    TIMESTAMP_WITH_TIME_ZONE,
                    JSON,
                    ARRAY,
                    MAP,
                    ROW ->
                    NativeValues.decode(stored, encoded).orElseThrow();
        };
    }
}
