package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.table.VisibleRowCount;
import io.stele.paimon.type.PartitionFilter;
import io.trino.spi.predicate.TupleDomain;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;

/**
 * The planner of a scan's splits on the coordinator, from the files of the pinned snapshot that may
 * have wanted rows. Large files are read in parts; files whose rows must be merged stay in Paimon's
 * groups. Thread-safe; waits for the store.
 */
public final class SplitPlanner {
    private final LakeTables tables;
    private final ScanFiles files;
    private final TableSchemas schemas;

    @Inject
    public SplitPlanner(LakeTables tables, ScanFiles files, TableSchemas schemas) {
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * @param dynamicFilter the conditions that are known from the other sides of joins
     * @param splitBytes the size in bytes of the parts of large files
     */
    PlannedScan plan(
            PaimonTableHandle handle,
            TupleDomain<PaimonColumnHandle> dynamicFilter,
            long splitBytes) {
        TupleDomain<PaimonColumnHandle> wanted =
                handle.constraint().intersect(handle.enforced()).intersect(dynamicFilter);
        if (handle.snapshotId().isEmpty() || wanted.isNone()) {
            return PlannedScan.empty();
        }
        FileStoreTable table = tables.table(handle);
        SplitCollector collector =
                new SplitCollector(splitBytes, new NativeReading(table, schemas));
        PartitionFilter partitions =
                new PartitionFilter(wanted, table.schema().logicalPartitionType());
        long visible = 0;
        for (DataSplit split : files.find(handle, table, wanted)) {
            if (!partitions.test(split.partition())) {
                continue;
            }
            collector.add(split);
            if (handle.limit().isPresent()) {
                // Only rows that certainly satisfy the constraint count
                visible += VisibleRowCount.of(table, split).orElse(0);
                if (handle.constraint().isAll() && visible >= handle.limit().getAsLong()) {
                    break;
                }
            }
        }
        return collector.scan();
    }
}
