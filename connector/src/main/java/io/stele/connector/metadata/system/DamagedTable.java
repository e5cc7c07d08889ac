package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.slice.Slices;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.status.DamagedObject;
import io.stele.protocol.api.status.StatusActions;
import io.stele.protocol.api.status.StatusReply;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;

/**
 * The system table {@code system.damaged} of damaged objects in the store, for which the sidecar
 * has set aside a table or shard while it serves others.
 */
public final class DamagedTable extends MetadataTable {
    private final SteleSidecar sidecar;

    @Inject
    public DamagedTable(SteleSidecar sidecar) {
        super(
                new SchemaTableName("system", "damaged"),
                ImmutableList.of(
                        new ColumnMetadata("sidecar", VARCHAR),
                        new ColumnMetadata("object", VARCHAR),
                        new ColumnMetadata("table_name", VARCHAR),
                        new ColumnMetadata("table_group_id", INTEGER),
                        new ColumnMetadata("shard", INTEGER),
                        new ColumnMetadata("state", VARCHAR),
                        new ColumnMetadata("reason", VARCHAR),
                        new ColumnMetadata("since", TIMESTAMP_TZ_MILLIS)));
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    @Override
    void addRows(Rows rows) {
        StatusReply status = sidecar.call(StatusActions.STATUS, Done.DONE);
        for (DamagedObject damaged : status.damaged()) {
            rows.add(
                    utf8Slice(status.nodeId()),
                    utf8Slice(damaged.object()),
                    damaged.table().map(Slices::utf8Slice).orElse(null),
                    damaged.shard().map(shard -> (long) shard.tableGroup()).orElse(null),
                    damaged.shard().map(shard -> (long) shard.index()).orElse(null),
                    utf8Slice(damaged.state()),
                    utf8Slice(damaged.reason()),
                    packDateTimeWithZone(damaged.sinceMillis(), UTC_KEY));
        }
    }
}
