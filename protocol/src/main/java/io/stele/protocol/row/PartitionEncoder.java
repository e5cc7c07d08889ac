package io.stele.protocol.row;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An encoder of the partition values of new rows, by {@link KeyEncoder#forColumns}. Their length is
 * limited, because manifests and plans have them for every file. Confined to one thread.
 */
public final class PartitionEncoder {
    /**
     * 4 KiB: several values of usual length; 10,000 files of as many partitions have at most 40 MB.
     */
    public static final int MAX_PARTITION_BYTES = 4 << 10;

    private final KeyEncoder encoder;
    private final GrowingBytes buffer;

    private PartitionEncoder(List<ColumnSchema> rowColumns, List<ColumnSchema> partitionedBy) {
        this.encoder = KeyEncoder.forColumns(rowColumns, partitionedBy);
        String names =
                partitionedBy.stream()
                        .map(column -> "'" + column.name() + "'")
                        .collect(Collectors.joining(", "));
        this.buffer =
                new GrowingBytes(
                        64,
                        MAX_PARTITION_BYTES,
                        ErrorCode.KEY_TOO_LARGE,
                        "partition (of " + names + ")");
    }

    /** An encoder for whole rows of a partitioned table. */
    public static PartitionEncoder of(TableSchema schema) {
        return of(schema, schema.columns());
    }

    /**
     * @param rowColumns columns of the rows, including the partition columns
     */
    public static PartitionEncoder of(TableSchema schema, List<ColumnSchema> rowColumns) {
        return new PartitionEncoder(rowColumns, schema.columns(schema.partitionedBy()));
    }

    /**
     * The partition of a row.
     *
     * @throws io.stele.protocol.SteleException KEY_TOO_LARGE, naming the columns
     */
    public byte[] encode(BinaryRow row) {
        check(row);
        return buffer.toByteArray();
    }

    /** Throws what {@link #encode} throws, without a result; allocates nothing. */
    public void check(BinaryRow row) {
        buffer.clear();
        encoder.encode(row, buffer);
    }
}
