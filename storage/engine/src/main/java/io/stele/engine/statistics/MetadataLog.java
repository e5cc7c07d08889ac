package io.stele.engine.statistics;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogChanges;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.node.Shards;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.TableName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The source of metadata versions, and of the changed tables between two versions, by which other
 * nodes invalidate cached metadata and statistics.
 *
 * <p>Invariant: a description made after a version was taken, and not among the changes since, is
 * still current. Thread-safe.
 */
public final class MetadataLog {
    private final long instance;
    private final CatalogService catalog;
    private final Shards shards;
    private final TableStatisticsCollector statistics;
    private final CatalogChanges catalogChanges;

    /**
     * @param instance the number of this engine, which no other engine has
     */
    public MetadataLog(
            long instance,
            CatalogService catalog,
            Shards shards,
            TableStatisticsCollector statistics) {
        this.instance = instance;
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.catalogChanges = new CatalogChanges(catalog.current().version());
        catalog.addListener(catalogChanges);
    }

    /** The changes since a version; everything, if the version is unknown. */
    public MetadataChanges since(Optional<MetadataVersion> since) {
        MetadataVersion known =
                since.filter(version -> version.instance() == instance)
                        .orElse(new MetadataVersion(instance, -1, -1));
        // In this order: changes in between are among the names, and not yet in the version
        long catalogVersion = catalogChanges.version();
        Optional<List<TableName>> names = catalogChanges.since(known.catalog());
        Catalog current = catalog.current();
        TableStatisticsCollector.Changes sizes =
                statistics.changedSince(
                        known.statistics(), id -> current.findTable(id).flatMap(shards::find));
        MetadataVersion version = new MetadataVersion(instance, catalogVersion, sizes.version());
        if (names.isEmpty() || sizes.tables().isEmpty()) {
            return new MetadataChanges(version, true, List.of());
        }
        Set<TableName> changed = new LinkedHashSet<>(names.get());
        for (TableId id : sizes.tables().get()) {
            current.findTable(id).map(MetadataLog::name).ifPresent(changed::add);
        }
        return changed.size() > MetadataChanges.MAX_RELATIONS
                ? new MetadataChanges(version, true, List.of())
                : new MetadataChanges(version, false, new ArrayList<>(changed));
    }

    private static TableName name(TableEntry table) {
        return new TableName(table.schema().schemaName(), table.schema().tableName());
    }
}
