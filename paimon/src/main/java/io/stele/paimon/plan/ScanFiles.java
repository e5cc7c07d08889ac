package io.stele.paimon.plan;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.DeletionVectors;
import io.stele.paimon.image.ImageFilter;
import io.stele.paimon.image.PinnedSnapshots;
import io.stele.paimon.image.TableImages;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.type.DomainPredicates;
import io.trino.spi.TrinoException;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.SplitGenerator;
import org.apache.paimon.table.source.snapshot.SnapshotReader;
import org.jspecify.annotations.Nullable;

/**
 * The lookup of a scan's data files in the table's metadata image, pruned by conditions and grouped
 * as Paimon's rules read them together. Thread-safe; waits for the store where the image is not in
 * memory.
 */
public final class ScanFiles {
    private final PinnedSnapshots snapshots;
    private final TableImages images;
    private final TableSchemas schemas;

    @Inject
    public ScanFiles(PinnedSnapshots snapshots, TableImages images, TableSchemas schemas) {
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.images = requireNonNull(images, "images is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
    }

    private record Bucket(BinaryRow partition, int number) {}

    /**
     * @param handle of a table that has a snapshot
     * @param wanted the conditions by which files are pruned
     */
    List<DataSplit> find(
            PaimonTableHandle handle,
            FileStoreTable table,
            TupleDomain<PaimonColumnHandle> wanted) {
        Snapshot snapshot = snapshots.snapshot(handle, table);
        ImageFilter.Builder filter = ImageFilter.builder(table, schemas).asBatchScan();
        DomainPredicates.of(wanted, table.rowType()).ifPresent(filter::where);
        try {
            List<ManifestEntry> files = images.image(table, snapshot).find(filter.build());
            DeletionVectors vectors =
                    table.coreOptions().deletionVectorsEnabled()
                            ? images.deletionVectors(table, snapshot)
                            : null;
            return splits(table, snapshot.id(), files, vectors);
        } catch (IOException | RuntimeException e) {
            if (e instanceof TrinoException known) {
                throw known;
            }
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read the manifests of snapshot %s of %s: %s"
                            .formatted(snapshot.id(), handle.name(), e.getMessage()),
                    e);
        }
    }

    /**
     * @param vectors null: the table has none
     */
    private static List<DataSplit> splits(
            FileStoreTable table,
            long snapshotId,
            List<ManifestEntry> files,
            @Nullable DeletionVectors vectors) {
        Map<Bucket, List<ManifestEntry>> buckets = new LinkedHashMap<>();
        for (ManifestEntry file : files) {
            buckets.computeIfAbsent(
                            new Bucket(file.partition(), file.bucket()), _ -> new ArrayList<>())
                    .add(file);
        }
        SnapshotReader rules = table.newSnapshotReader();
        List<DataSplit> splits = new ArrayList<>();
        buckets.forEach(
                (bucket, entries) -> {
                    String path =
                            rules.pathFactory()
                                    .bucketPath(bucket.partition(), bucket.number())
                                    .toString();
                    List<DataFileMeta> all = entries.stream().map(ManifestEntry::file).toList();
                    for (SplitGenerator.SplitGroup group :
                            rules.splitGenerator().splitForBatch(new ArrayList<>(all))) {
                        DataSplit.Builder split =
                                DataSplit.builder()
                                        .withSnapshot(snapshotId)
                                        .withPartition(bucket.partition())
                                        .withBucket(bucket.number())
                                        .withTotalBuckets(entries.getFirst().totalBuckets())
                                        .isStreaming(false)
                                        .withDataFiles(group.files)
                                        .rawConvertible(group.rawConvertible)
                                        .withBucketPath(path);
                        if (vectors != null) {
                            split.withDataDeletionFiles(deletions(vectors, bucket, group.files));
                        }
                        splits.add(split.build());
                    }
                });
        return splits;
    }

    private static List<@Nullable DeletionFile> deletions(
            DeletionVectors vectors, Bucket bucket, List<DataFileMeta> files) {
        List<@Nullable DeletionFile> deletions = new ArrayList<>();
        for (DataFileMeta file : files) {
            deletions.add(
                    vectors.find(bucket.partition(), bucket.number(), file.fileName())
                            .map(
                                    found ->
                                            new DeletionFile(
                                                    found.path(),
                                                    found.offset(),
                                                    found.length(),
                                                    found.cardinality() < 0
                                                            ? null
                                                            : found.cardinality()))
                            .orElse(null));
        }
        return deletions;
    }
}
