package io.stele.paimon.plan;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.type.DomainPredicates;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.snapshot.SnapshotReader;

/** Interim. */
public final class ScanFiles {
    List<DataSplit> find(
            PaimonTableHandle handle,
            FileStoreTable table,
            TupleDomain<PaimonColumnHandle> wanted) {
        SnapshotReader reader =
                table.newSnapshotReader().withSnapshot(handle.snapshotId().getAsLong());
        CoreOptions options = table.coreOptions();
        if (!table.schema().primaryKeys().isEmpty() && options.batchScanSkipLevel0()) {
            reader.withLevelFilter(level -> level > 0).enableValueFilter();
        }
        if (options.bucket() == BucketMode.POSTPONE_BUCKET) {
            reader.onlyReadRealBuckets();
        }
        DomainPredicates.of(wanted, table.rowType()).ifPresent(reader::withFilter);
        return reader.read().dataSplits();
    }
}
