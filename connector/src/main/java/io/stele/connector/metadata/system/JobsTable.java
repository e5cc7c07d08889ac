package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.slice.Slices;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.ListJobsReply;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The system table {@code system.jobs} of the sidecar's long-running jobs, with their progress and
 * outcome.
 */
public final class JobsTable extends MetadataTable {
    private final SteleSidecar sidecar;

    @Inject
    public JobsTable(SteleSidecar sidecar) {
        super(
                new SchemaTableName("system", "jobs"),
                ImmutableList.of(
                        new ColumnMetadata("sidecar", VARCHAR),
                        new ColumnMetadata("job_id", VARCHAR),
                        new ColumnMetadata("kind", VARCHAR),
                        new ColumnMetadata("schema_name", VARCHAR),
                        new ColumnMetadata("table_name", VARCHAR),
                        new ColumnMetadata("index_name", VARCHAR),
                        new ColumnMetadata("requested_by", VARCHAR),
                        new ColumnMetadata("request_count", BIGINT),
                        new ColumnMetadata("state", VARCHAR),
                        new ColumnMetadata("done", BIGINT),
                        new ColumnMetadata("total", BIGINT),
                        new ColumnMetadata("unit", VARCHAR),
                        new ColumnMetadata("created", TIMESTAMP_TZ_MILLIS),
                        new ColumnMetadata("started", TIMESTAMP_TZ_MILLIS),
                        new ColumnMetadata("ended", TIMESTAMP_TZ_MILLIS),
                        new ColumnMetadata("failure", VARCHAR)));
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    @Override
    void addRows(Rows rows) {
        ListJobsReply reply = sidecar.call(MaintenanceActions.LIST_JOBS, Done.DONE);
        for (JobStatus job : reply.jobs()) {
            rows.add(
                    utf8Slice(reply.nodeId()),
                    utf8Slice(job.id()),
                    utf8Slice(job.kind().label()),
                    utf8Slice(job.table().schemaName()),
                    utf8Slice(job.table().tableName()),
                    job.index().map(Slices::utf8Slice).orElse(null),
                    job.user().map(Slices::utf8Slice).orElse(null),
                    (long) job.requestCount(),
                    utf8Slice(job.state().label()),
                    job.done(),
                    job.total(),
                    utf8Slice(job.kind().unit()),
                    packDateTimeWithZone(job.createdMillis(), UTC_KEY),
                    moment(job.startedMillis()),
                    moment(job.endedMillis()),
                    job.message().map(Slices::utf8Slice).orElse(null));
        }
    }

    private static @Nullable Long moment(Optional<Long> millis) {
        return millis.map(at -> packDateTimeWithZone(at, UTC_KEY)).orElse(null);
    }
}
