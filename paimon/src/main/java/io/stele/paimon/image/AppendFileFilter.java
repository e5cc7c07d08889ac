package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.type.IndexedColumns;
import java.util.List;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.AppendOnlyFileStoreScan;
import org.apache.paimon.operation.BucketSelectConverter;
import org.apache.paimon.operation.ManifestsReader;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;

/**
 * The statistics filter of a scan for the files of a table without primary key, by the rules of
 * Paimon's own scan. It extends Paimon's scan, but reads no manifests.
 *
 * <p>Confined to one thread.
 */
final class AppendFileFilter extends AppendOnlyFileStoreScan implements FileFilter {
    private final FilterSchemas schemas;

    AppendFileFilter(
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
                table.store().manifestFileFactory(),
                null,
                IndexedColumns.mayPaimonRead(table),
                table.coreOptions().deletionVectorsEnabled(),
                false);
        this.schemas = requireNonNull(schemas, "schemas is null");
    }

    @Override
    public boolean mayContain(EntryBlock block) {
        return true;
    }

    @Override
    public boolean matches(ManifestEntry entry) {
        return filterByStats(entry);
    }

    @Override
    public List<ManifestEntry> matchTogether(List<ManifestEntry> entries) {
        return entries;
    }

    @Override
    protected TableSchema scanTableSchema(long id) {
        // Paimon's constructor requests the table's own schema before our field is set
        return schemas == null ? super.scanTableSchema(id) : schemas.schema(id);
    }
}
