package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.BucketSelectConverter;
import org.apache.paimon.operation.ManifestsReader;
import org.apache.paimon.partition.PartitionPredicate;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.Pair;
import org.apache.paimon.utils.TriFilter;
import org.jspecify.annotations.Nullable;

/**
 * The conditions by which a search selects data files of an image: partition and bucket, then
 * ranges of keys of blocks, then statistics of single files. The first needs no file's metadata.
 *
 * <p>Confined to one thread and one search.
 */
public final class ImageFilter {
    /** All files of all buckets. */
    public static final ImageFilter ALL = new ImageFilter(null, OptionalInt.empty());

    private final @Nullable List<BinaryRow> partitions; // null: all
    private final @Nullable PartitionPredicate partitionPredicate;
    private final OptionalInt bucket;
    private final boolean realBuckets;
    private final @Nullable TriFilter<BinaryRow, Integer, Integer> buckets;
    private final @Nullable IntPredicate levels;
    private final @Nullable FileFilter files;

    private ImageFilter(@Nullable List<BinaryRow> partitions, OptionalInt bucket) {
        this.partitions = partitions;
        this.partitionPredicate = null;
        this.bucket = bucket;
        this.realBuckets = false;
        this.buckets = null;
        this.levels = null;
        this.files = null;
    }

    private ImageFilter(Builder builder) {
        this.partitions = builder.partitions;
        this.partitionPredicate = builder.partitionPredicate;
        this.bucket = builder.bucket;
        this.realBuckets = builder.realBuckets;
        this.buckets = builder.buckets;
        this.levels = builder.levels;
        this.files = builder.files();
    }

    /** All files of one bucket. */
    public static ImageFilter of(BinaryRow partition, int bucket) {
        return new ImageFilter(List.of(partition), OptionalInt.of(bucket));
    }

    /**
     * @param table whose current schema the predicates are on
     */
    public static Builder builder(FileStoreTable table, TableSchemas schemas) {
        return new Builder(table, schemas);
    }

    /** The only partitions to look at; empty: all. */
    Optional<List<BinaryRow>> partitions() {
        return Optional.ofNullable(partitions);
    }

    OptionalInt bucket() {
        return bucket;
    }

    boolean matchesPartition(BinaryRow partition) {
        return partitionPredicate == null || partitionPredicate.test(partition);
    }

    boolean matchesBucket(BinaryRow partition, int number, int totalBuckets) {
        return (!realBuckets || number >= 0)
                && (bucket.isEmpty() || bucket.getAsInt() == number)
                // Files that wait for a compaction have no number of buckets yet.
                && (buckets == null
                        || totalBuckets <= 0
                        || buckets.test(partition, number, totalBuckets));
    }

    boolean mayContain(EntryBlock block) {
        return files == null || files.mayContain(block);
    }

    boolean matches(ManifestEntry entry) {
        return (levels == null || levels.test(entry.level()))
                && (files == null || files.matches(entry));
    }

    List<ManifestEntry> matchTogether(List<ManifestEntry> entries) {
        return files == null ? entries : files.matchTogether(entries);
    }

    /** A builder of a filter. Confined to one thread. */
    public static final class Builder {
        private final FileStoreTable table;
        private final TableSchemas schemas;
        private @Nullable List<BinaryRow> partitions;
        private @Nullable PartitionPredicate partitionPredicate;
        private OptionalInt bucket = OptionalInt.empty();
        private boolean realBuckets;
        private @Nullable TriFilter<BinaryRow, Integer, Integer> buckets;
        private @Nullable IntPredicate levels;
        private boolean valuesByFile;
        private @Nullable Predicate dataPredicate;

        private Builder(FileStoreTable table, TableSchemas schemas) {
            this.table = requireNonNull(table, "table is null");
            this.schemas = requireNonNull(schemas, "schemas is null");
        }

        /**
         * Selects only these partitions, which are found without a look at the other partitions.
         */
        public Builder partitions(List<BinaryRow> rows) {
            partitions = rows.stream().distinct().toList();
            return this;
        }

        public Builder partitions(PartitionPredicate predicate) {
            partitionPredicate = requireNonNull(predicate, "predicate is null");
            return this;
        }

        public Builder bucket(int number) {
            bucket = OptionalInt.of(number);
            return this;
        }

        /**
         * Selects only files in buckets that readers see, and no files that wait for a compaction.
         */
        public Builder realBuckets() {
            realBuckets = true;
            return this;
        }

        public Builder levels(IntPredicate predicate) {
            levels = requireNonNull(predicate, "predicate is null");
            return this;
        }

        /**
         * Drops single files of a primary key table by their values, not only whole buckets.
         * Correct only where no two files of the scan have a row of the same key.
         */
        public Builder valuesByFile() {
            valuesByFile = true;
            return this;
        }

        /** Excludes the files that Paimon's batch scans exclude by the options of the table. */
        public Builder asBatchScan() {
            CoreOptions options = table.coreOptions();
            if (!table.primaryKeys().isEmpty()
                    && options.batchScanSkipLevel0()
                    && options.toConfiguration().get(CoreOptions.BATCH_SCAN_MODE)
                            == CoreOptions.BatchScanMode.NONE) {
                levels(level -> level > 0);
                valuesByFile();
            }
            if (options.bucket() == BucketMode.POSTPONE_BUCKET) {
                realBuckets();
            }
            return this;
        }

        /**
         * A query's whole predicate, on the columns of the table. It is divided into parts on
         * partitions, buckets, keys and values as Paimon divides it.
         */
        public Builder where(Predicate predicate) {
            TableSchema schema = table.schema();
            Pair<Optional<PartitionPredicate>, List<Predicate>> parts =
                    PartitionPredicate.splitPartitionPredicatesAndDataPredicates(
                            predicate, schema.logicalRowType(), schema.partitionKeys());
            parts.getLeft().ifPresent(this::partitions);
            if (!parts.getRight().isEmpty()) {
                dataPredicate = PredicateBuilder.and(parts.getRight());
            }
            buckets = bucketSelect().convert(predicate).orElse(null);
            return this;
        }

        public ImageFilter build() {
            return new ImageFilter(this);
        }

        private @Nullable FileFilter files() {
            if (dataPredicate == null) {
                return null;
            }
            FilterSchemas fileSchemas = id -> schemas.schema(table, id);
            ManifestsReader unread =
                    new ManifestsReader(
                            table.schema().logicalPartitionType(),
                            table.coreOptions().partitionDefaultName(),
                            table.snapshotManager(),
                            table.store().manifestListFactory());
            if (!table.primaryKeys().isEmpty()) {
                PrimaryKeyFileFilter filter =
                        new PrimaryKeyFileFilter(table, bucketSelect(), unread, fileSchemas);
                filter.filter(dataPredicate);
                if (valuesByFile) {
                    filter.enableValueFilter();
                }
                return filter;
            }
            if (table.coreOptions().dataEvolutionEnabled()) {
                DataEvolutionFileFilter filter =
                        new DataEvolutionFileFilter(table, bucketSelect(), unread, fileSchemas);
                filter.withFilter(dataPredicate);
                return filter;
            }
            AppendFileFilter filter =
                    new AppendFileFilter(table, bucketSelect(), unread, fileSchemas);
            filter.withFilter(dataPredicate);
            return filter;
        }

        private BucketSelectConverter bucketSelect() {
            TableSchema schema = table.schema();
            return new BucketSelectConverter(
                    table.store().bucketMode(),
                    table.coreOptions().bucketFunctionType(),
                    schema.logicalRowType(),
                    schema.logicalPartitionType(),
                    schema.logicalBucketKeyType());
        }
    }
}
