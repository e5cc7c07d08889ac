package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.BucketSelectConverter;
import org.apache.paimon.operation.DataEvolutionFileStoreScan;
import org.apache.paimon.operation.ManifestsReader;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;

/**
 * The statistics filter of a scan for a data-evolution table, whose rows are spread over files by
 * column, by the rules of Paimon's own scan. It extends Paimon's scan, but reads no manifests.
 * Files of the same rows are kept or dropped together.
 *
 * <p>Confined to one thread.
 */
final class DataEvolutionFileFilter extends DataEvolutionFileStoreScan implements FileFilter {
    private final FilterSchemas schemas;

    DataEvolutionFileFilter(
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
                table.coreOptions().deletionVectorsEnabled());
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
        return postFilterManifestEntriesEnabled() ? postFilterManifestEntries(entries) : entries;
    }

    @Override
    protected TableSchema scanTableSchema(long id) {
        // Paimon's constructor requests the table's own schema before our field is set
        return schemas == null ? super.scanTableSchema(id) : schemas.schema(id);
    }
}
