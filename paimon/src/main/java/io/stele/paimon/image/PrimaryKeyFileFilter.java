package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.type.IndexedColumns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryArray;
import org.apache.paimon.fileindex.FileIndexPredicate;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.BucketSelectConverter;
import org.apache.paimon.operation.KeyValueFileStoreScan;
import org.apache.paimon.operation.ManifestsReader;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.PrimaryKeyTableUtils;
import org.jspecify.annotations.Nullable;

/**
 * The statistics filter of a scan for a primary key table's files, by the rules of Paimon's own
 * scan. It extends Paimon's scan, but reads no manifests. Paimon's rules drop a file by its values
 * only where no older row of the same key can appear in place of the dropped row.
 *
 * <p>Confined to one thread.
 */
final class PrimaryKeyFileFilter extends KeyValueFileStoreScan implements FileFilter {
    private final TableSchema tableSchema;
    private final FilterSchemas schemas;
    private final Map<Long, Boolean> sameKeys = new HashMap<>();
    private final BinaryArray noNulls;
    private final boolean readsIndexes;
    private @Nullable Predicate keyPredicate;

    PrimaryKeyFileFilter(
            FileStoreTable table,
            BucketSelectConverter buckets,
            ManifestsReader manifests,
            FilterSchemas schemas) {
        super(
                manifests,
                buckets,
                table.snapshotManager(),
                table.schemaManager(),
                table.schema(),
                PrimaryKeyTableUtils.PrimaryKeyFieldsExtractor.EXTRACTOR,
                table.store().manifestFileFactory(),
                null,
                table.coreOptions().deletionVectorsEnabled(),
                table.coreOptions().mergeEngine(),
                table.coreOptions().changelogProducer(),
                IndexedColumns.mayPaimonRead(table)
                        && table.coreOptions().deletionVectorsEnabled());
        this.tableSchema = table.schema();
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.readsIndexes = IndexedColumns.mayPaimonRead(table);
        this.noNulls =
                BinaryArray.fromLongArray(zeros(tableSchema.trimmedPrimaryKeysFields().size()));
    }

    private static Long[] zeros(int count) {
        Long[] zeros = new Long[count];
        java.util.Arrays.fill(zeros, 0L);
        return zeros;
    }

    /** Sets the part of a query's predicate that is not on partition columns alone. */
    void filter(Predicate predicate) {
        List<Predicate> keys =
                PredicateBuilder.pickTransformFieldMapping(
                        PredicateBuilder.splitAnd(predicate),
                        tableSchema.fieldNames(),
                        tableSchema.trimmedPrimaryKeys());
        if (!keys.isEmpty()) {
            keyPredicate = PredicateBuilder.and(keys);
            withKeyFilter(keyPredicate);
        }
        withValueFilter(predicate);
    }

    @Override
    public boolean mayContain(EntryBlock block) {
        EntryBlock.KeyRange keys = block.keys();
        if (keyPredicate == null || keys == null || !hasSameKeys(block.schemaId())) {
            return true;
        }
        return keyPredicate.test(block.rowCount(), keys.min(), keys.max(), noNulls);
    }

    /** Whether the files' keys have the columns of the table's, so that their range compares. */
    private boolean hasSameKeys(long schemaId) {
        if (schemaId == EntryBlock.SEVERAL_SCHEMAS) {
            return false;
        }
        return schemaId == tableSchema.id()
                || sameKeys.computeIfAbsent(
                        schemaId,
                        id ->
                                scanTableSchema(id)
                                        .trimmedPrimaryKeysFields()
                                        .equals(tableSchema.trimmedPrimaryKeysFields()));
    }

    @Override
    public boolean matches(ManifestEntry entry) {
        return filterByStats(entry) && mayHaveKey(entry.file());
    }

    /**
     * Looks keys up in the file's own index, such as a bloom filter, where the metadata has it. By
     * its keys, though not by its values, a file may be left out whatever other files have.
     */
    private boolean mayHaveKey(DataFileMeta file) {
        byte[] index = file.embeddedIndex();
        if (!readsIndexes
                || index == null
                || keyPredicate == null
                || !hasSameKeys(file.schemaId())) {
            return true;
        }
        try (FileIndexPredicate predicate =
                new FileIndexPredicate(index, scanTableSchema(file.schemaId()).logicalRowType())) {
            return predicate.evaluate(keyPredicate).remain();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // The index is in memory
        }
    }

    @Override
    public List<ManifestEntry> matchTogether(List<ManifestEntry> entries) {
        return postFilterManifestEntriesEnabled() ? postFilterManifestEntries(entries) : entries;
    }

    @Override
    protected TableSchema scanTableSchema(long id) {
        // Paimon's constructor requests the table's own schema before our field is set
        return schemas == null ? super.scanTableSchema(id) : schemas.schema(id);
    }
}
