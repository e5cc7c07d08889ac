package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.handle.PaimonMergeSplit;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.type.PartitionFilter;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.predicate.TupleDomain;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.paimon.io.DataOutputViewStreamWrapper;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.RawFile;

/**
 * The planner of the splits of a scan: the files of the pinned snapshot that may have wanted rows,
 * those of large files in parts, and those whose rows must be merged as Paimon groups them.
 * Thread-safe; waits for the store.
 */
public final class SplitPlanner {
    /** A split of this size has the weight of one that keeps a worker's thread busy for long. */
    private static final double STANDARD_BYTES = 64 << 20;

    private static final double MIN_WEIGHT = 0.05;

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
     * @param dynamicFilter what is known of the other sides of joins
     * @param splitBytes the size of the parts of large files
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
        Collector collector = new Collector(splitBytes, new NativeReading(table, schemas));
        PartitionFilter partitions =
                new PartitionFilter(wanted, table.schema().logicalPartitionType());
        long visible = 0;
        for (DataSplit split : files.find(handle, table, wanted)) {
            if (!partitions.test(split.partition())) {
                continue;
            }
            collector.add(split);
            if (handle.limit().isPresent()) {
                // Only what certainly has rows that satisfy the constraint counts
                visible += split.mergedRowCount().orElse(0);
                if (handle.constraint().isAll() && visible >= handle.limit().getAsLong()) {
                    break;
                }
            }
        }
        return collector.scan();
    }

    /** The splits so far. */
    private static final class Collector {
        private final long splitBytes;
        private final NativeReading reading;
        private final List<ConnectorSplit> splits = new ArrayList<>();
        private long nativeFiles;
        private long paimonSplits;
        private long rows;

        Collector(long splitBytes, NativeReading reading) {
            this.splitBytes = splitBytes;
            this.reading = reading;
        }

        void add(DataSplit split) {
            rows += split.rowCount();
            Optional<List<RawFile>> raw =
                    reading.isPossible() ? split.convertToRawFiles() : Optional.empty();
            if (raw.isEmpty() || !raw.get().stream().allMatch(reading::reads)) {
                splits.add(mergeSplit(split));
                paimonSplits++;
                return;
            }
            for (int i = 0; i < raw.get().size(); i++) {
                int index = i;
                addFile(
                        raw.get().get(i),
                        split.deletionFiles()
                                .flatMap(all -> Optional.ofNullable(all.get(index)))
                                .map(Collector::location));
                nativeFiles++;
            }
        }

        private void addFile(RawFile file, Optional<DeletionVectorLocation> deletions) {
            long start = 0;
            do {
                long length = Math.min(splitBytes, file.length() - start);
                // A short rest is not worth a split
                if (file.length() - start - length < splitBytes / 4) {
                    length = file.length() - start;
                }
                splits.add(
                        new PaimonFileSplit(
                                file.path(),
                                file.format().toLowerCase(Locale.ROOT),
                                start,
                                length,
                                file.length(),
                                file.rowCount(),
                                file.schemaId(),
                                deletions,
                                file.path(),
                                weight(length)));
                start += length;
            } while (start < file.length());
        }

        private static DeletionVectorLocation location(DeletionFile file) {
            Long cardinality = file.cardinality();
            return new DeletionVectorLocation(
                    file.path(),
                    file.offset(),
                    file.length(),
                    cardinality == null ? -1 : cardinality);
        }

        private static ConnectorSplit mergeSplit(DataSplit split) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try {
                split.serialize(new DataOutputViewStreamWrapper(bytes));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            long size = split.dataFiles().stream().mapToLong(file -> file.fileSize()).sum();
            return new PaimonMergeSplit(bytes.toByteArray(), split.bucketPath(), weight(size));
        }

        private static SplitWeight weight(long bytes) {
            return SplitWeight.fromProportion(Math.clamp(bytes / STANDARD_BYTES, MIN_WEIGHT, 1.0));
        }

        PlannedScan scan() {
            return new PlannedScan(splits, nativeFiles, paimonSplits, rows);
        }
    }
}
