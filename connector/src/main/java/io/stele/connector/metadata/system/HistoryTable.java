package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.maintenance.TableHistoryReply;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The system table {@code "t$history"} of a table's schema versions, and of the changes between
 * them.
 */
final class HistoryTable extends MetadataTable {
    private final TableSchema table;
    private final CatalogRequests catalog;

    HistoryTable(SchemaTableName name, TableSchema table, CatalogRequests catalog) {
        super(
                name,
                ImmutableList.of(
                        new ColumnMetadata("made_current_at", TIMESTAMP_TZ_MILLIS),
                        new ColumnMetadata("version", BIGINT),
                        new ColumnMetadata("schema_version", INTEGER),
                        new ColumnMetadata("change", VARCHAR),
                        new ColumnMetadata("is_readable", BOOLEAN)));
        this.table = requireNonNull(table, "table is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    @Override
    void addRows(Rows rows) {
        TableHistoryReply found = catalog.history(table);
        Optional<Lsn> began = found.history().createdLsn();
        @Nullable List<ColumnSchema> before = null;
        for (SchemaHistory.Version version : found.history().earlier()) {
            addRow(rows, found, began, version.schemaVersion(), before, version.columns());
            began = version.endedLsn();
            before = version.columns();
        }
        TableSchema now = found.schema();
        addRow(rows, found, began, now.schemaVersion(), before, now.columns());
    }

    /**
     * @param began the LSN from which the version is current; empty in older catalogs
     * @param before the columns of the version before; null: the table began with these columns
     */
    private static void addRow(
            Rows rows,
            TableHistoryReply found,
            Optional<Lsn> began,
            int schemaVersion,
            @Nullable List<ColumnSchema> before,
            List<ColumnSchema> columns) {
        String change =
                before == null
                        ? "CREATE TABLE"
                        : String.join(", ", SchemaChanges.between(before, columns));
        rows.add(
                began.map(HistoryTable::time).orElse(null),
                began.map(Lsn::value).orElse(null),
                (long) schemaVersion,
                utf8Slice(change),
                began.map(lsn -> lsn.compareTo(found.horizon()) >= 0).orElse(null));
    }

    /** The time of an LSN, in UTC. */
    static long time(Lsn lsn) {
        return packDateTimeWithZone(lsn.millis(), UTC_KEY);
    }
}
