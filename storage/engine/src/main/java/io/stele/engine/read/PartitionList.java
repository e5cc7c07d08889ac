package io.stele.engine.read;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.api.maintenance.PartitionFiles;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A summary of a table's present column files by partition, for the listing of partitions. */
public final class PartitionList {
    private static final byte[] NONE = {};

    private PartitionList() {}

    /** The totals by partition; a partition with only deleted rows is omitted. */
    public static List<PartitionFiles> of(List<TableShard> shards) {
        Map<ByteBuffer, PartitionFiles> partitions = new HashMap<>();
        for (TableShard shard : shards) {
            for (ColumnFile file : shard.view().columnFiles()) {
                byte[] values = file.entry().partition().orElse(NONE);
                long rows = file.entry().rowCount() - file.deletes().cardinality();
                if (rows > 0) {
                    partitions.merge(
                            ByteBuffer.wrap(values),
                            new PartitionFiles(values, 1, rows, file.entry().sizeBytes()),
                            PartitionList::sum);
                }
            }
        }
        return partitions.values().stream()
                .sorted((one, other) -> Arrays.compareUnsigned(one.partition(), other.partition()))
                .toList();
    }

    private static PartitionFiles sum(PartitionFiles one, PartitionFiles other) {
        return new PartitionFiles(
                one.partition(),
                one.fileCount() + other.fileCount(),
                one.rowCount() + other.rowCount(),
                one.sizeBytes() + other.sizeBytes());
    }
}
