package io.stele.engine.compaction.output;

import io.stele.engine.row.TableVersions;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An encoder of the partition values of rows into the form that manifest entries use. It accepts
 * values of any length: too long values are refused before they are logged, so logged values must
 * be written. Confined to one thread.
 */
public final class RowPartitions {
    private final @Nullable KeyEncoder encoder;
    private final GrowingBytes buffer = ClusteringOrder.buffer("partition");
    private byte[] last = new byte[0];

    /**
     * @param versions the schema version of the rows
     */
    public RowPartitions(TableVersions versions) {
        TableSchema schema = versions.schema();
        this.encoder =
                schema.partitionedBy().isEmpty()
                        ? null
                        : KeyEncoder.forColumns(schema, schema.partitionedBy());
    }

    /** Whether the table is not partitioned. */
    boolean isSingle() {
        return encoder == null;
    }

    /**
     * The encoded partition of a row; the same array as for the row before if they share a
     * partition. It must not be changed.
     */
    public byte[] of(BinaryRow row) {
        KeyEncoder partition = encoder;
        if (partition == null) {
            return last;
        }
        buffer.clear();
        partition.encode(row, buffer);
        if (!Arrays.equals(buffer.array(), 0, buffer.length(), last, 0, last.length)) {
            last = buffer.toByteArray();
        }
        return last;
    }
}
