package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.maintenance.TableFile;
import io.stele.protocol.api.maintenance.TableHistoryReply;
import io.stele.protocol.api.maintenance.TableShardFiles;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;
import java.util.List;
import java.util.TreeMap;

/**
 * The system table {@code "t$snapshots"} of moments that {@code FOR VERSION AS OF} may name. Every
 * LSN of the retained history is such a moment. The table shows the oldest and the newest, those at
 * which columns changed, and those of writes whose rows are still in separate files.
 */
final class SnapshotsTable extends MetadataTable {
    private final TableSchema table;
    private final CatalogRequests catalog;

    SnapshotsTable(SchemaTableName name, TableSchema table, CatalogRequests catalog) {
        super(
                name,
                ImmutableList.of(
                        new ColumnMetadata("committed_at", TIMESTAMP_TZ_MILLIS),
                        new ColumnMetadata("version", BIGINT),
                        new ColumnMetadata("operation", VARCHAR),
                        new ColumnMetadata("added_files", BIGINT),
                        new ColumnMetadata("added_records", BIGINT),
                        new ColumnMetadata("added_bytes", BIGINT)));
        this.table = requireNonNull(table, "table is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    @Override
    void addRows(Rows rows) {
        TableHistoryReply history = catalog.history(table);
        List<TableShardFiles> shards = catalog.files(table).shards();
        TreeMap<Lsn, Moment> moments = new TreeMap<>();
        Lsn newest = history.horizon();
        for (TableShardFiles shard : shards) {
            newest = shard.appliedLsn().compareTo(newest) > 0 ? shard.appliedLsn() : newest;
            shard.files().stream()
                    .filter(SnapshotsTable::isOneWrite)
                    .forEach(file -> add(file, moments));
        }
        for (SchemaHistory.Version version : history.history().earlier()) {
            version.endedLsn().ifPresent(lsn -> moments.put(lsn, Moment.of("alter")));
        }
        Lsn oldest = history.horizon();
        if (history.history().createdLsn().isPresent()
                && history.history().createdLsn().get().compareTo(oldest) > 0) {
            oldest = history.history().createdLsn().get();
        }
        moments.putIfAbsent(oldest, Moment.of("oldest"));
        moments.putIfAbsent(newest, Moment.of("newest"));
        moments.tailMap(oldest)
                .forEach(
                        (lsn, moment) ->
                                rows.add(
                                        HistoryTable.time(lsn),
                                        lsn.value(),
                                        utf8Slice(moment.operation),
                                        moment.files,
                                        moment.records,
                                        moment.bytes));
    }

    /** Other files contain rows of several writes. */
    private static boolean isOneWrite(TableFile file) {
        return file.indexId().isEmpty() && file.minLsn().equals(file.maxLsn());
    }

    private static void add(TableFile file, TreeMap<Lsn, Moment> moments) {
        moments.merge(
                file.maxLsn(),
                new Moment("write", 1, file.rowCount(), file.sizeBytes()),
                (one, other) ->
                        new Moment(
                                "write",
                                one.files + other.files,
                                one.records + other.records,
                                one.bytes + other.bytes));
    }

    private record Moment(String operation, long files, long records, long bytes) {
        static Moment of(String operation) {
            return new Moment(operation, 0, 0, 0);
        }
    }
}
