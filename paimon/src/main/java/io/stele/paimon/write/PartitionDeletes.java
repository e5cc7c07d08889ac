package io.stele.paimon.write;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;

import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.table.VisibleRowCount;
import io.stele.paimon.type.PartitionFilter;
import io.trino.spi.TrinoException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.manifest.PartitionEntry;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.InnerTableScan;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.InternalRowPartitionComputer;

/**
 * The whole partitions that a DELETE removes without reading rows, listed on the coordinator from
 * the table's current metadata.
 *
 * @param partitions by the texts of their values, as Paimon's commit accepts them
 * @param rowCount the number of rows in them; empty: unknown, since files may have obsolete rows
 */
public record PartitionDeletes(List<Map<String, String>> partitions, OptionalLong rowCount) {
    public PartitionDeletes {
        partitions = List.copyOf(partitions);
    }

    /** The partitions that a handle's condition selects, as they are now. */
    public static PartitionDeletes of(FileStoreTable table, PaimonTableHandle handle) {
        RowType type = table.schema().logicalPartitionType();
        PartitionFilter filter = new PartitionFilter(handle.enforced(), type);
        CoreOptions options = table.coreOptions();
        InternalRowPartitionComputer texts =
                new InternalRowPartitionComputer(
                        options.partitionDefaultName(),
                        type,
                        type.getFieldNames().toArray(String[]::new),
                        false);
        List<Map<String, String>> partitions = new ArrayList<>();
        List<BinaryRow> selected = new ArrayList<>();
        for (PartitionEntry entry : entries(table)) {
            if (!filter.test(entry.partition())) {
                continue;
            }
            selected.add(entry.partition());
            if (type.getFieldCount() > 0) {
                Map<String, String> named = texts.generatePartValues(entry.partition());
                if (!handle.enforced().isAll()) {
                    checkExact(named, entry.partition(), type, options);
                }
                partitions.add(named);
            }
        }
        return new PartitionDeletes(partitions, rowCount(table, selected));
    }

    private static OptionalLong rowCount(FileStoreTable table, List<BinaryRow> partitions) {
        long rows = 0;
        for (Split split : partitions.isEmpty() ? List.<Split>of() : splits(table, partitions)) {
            OptionalLong visible = VisibleRowCount.of(table, (DataSplit) split);
            if (visible.isEmpty()) {
                return visible;
            }
            rows += visible.getAsLong();
        }
        return OptionalLong.of(rows);
    }

    private static List<Split> splits(FileStoreTable table, List<BinaryRow> partitions) {
        InnerTableScan scan = (InnerTableScan) table.newScan();
        if (table.schema().logicalPartitionType().getFieldCount() > 0) {
            scan.withPartitionFilter(partitions);
        }
        scan.dropStats();
        try {
            return scan.plan().splits();
        } catch (RuntimeException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot list the files of %s: %s".formatted(table.location(), e.getMessage()),
                    e);
        }
    }

    private static List<PartitionEntry> entries(FileStoreTable table) {
        try {
            return table.newScan().listPartitionEntries();
        } catch (RuntimeException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot list the partitions of %s: %s"
                            .formatted(table.location(), e.getMessage()),
                    e);
        }
    }

    /**
     * Throws if the texts of a partition's values are those of other values, which would be deleted
     * in their place.
     */
    private static void checkExact(
            Map<String, String> named, BinaryRow partition, RowType type, CoreOptions options) {
        boolean isExact;
        try {
            isExact =
                    new InternalRowSerializer(type)
                            .toBinaryRow(
                                    InternalRowPartitionComputer.convertSpecToInternalRow(
                                            named, type, options.partitionDefaultName()))
                            .equals(partition);
        } catch (RuntimeException e) {
            isExact = false;
        }
        if (!isExact) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected partitions that Paimon can name by a text, found "
                            + named
                            + ", whose text is that of another value");
        }
    }
}
