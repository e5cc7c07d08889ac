package io.stele.flink.sink;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reader of the partition of a row, for one layout of rows. Immutable. */
final class PartitionReader {
    private final int[] positions;
    private final ValueCodec[] codecs;

    /**
     * A reader for rows of one layout.
     *
     * @param layout contains the partition columns
     * @throws SteleException INVALID_ARGUMENT: values of a partition column may be equal but not
     *     identical, or unequal to themselves
     */
    PartitionReader(TableSchema schema, RowLayout layout) {
        List<ColumnSchema> columns = schema.columns(schema.partitionedBy());
        this.positions = new int[columns.size()];
        this.codecs = new ValueCodec[columns.size()];
        for (int i = 0; i < positions.length; i++) {
            ColumnSchema column = columns.get(i);
            if (column.type().equals(ScalarType.REAL) || column.type().equals(ScalarType.DOUBLE)) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected partition columns of table %s not to be of type real or double, found column '%s'"
                                .formatted(schema.qualifiedName(), column.name()));
            }
            positions[i] = layout.indexOf(column.id());
            codecs[i] = ValueCodec.of(column.type());
        }
    }

    Partition partition(BinaryRow row) {
        byte[] @Nullable [] values = new byte[positions.length] @Nullable [];
        for (int i = 0; i < positions.length; i++) {
            if (!row.isNull(positions[i])) {
                values[i] = codecs[i].encode(row, positions[i]);
            }
        }
        return new Partition(values);
    }
}
