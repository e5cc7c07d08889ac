package io.stele.connector.metadata.system;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.status.QueryStatus;
import io.stele.protocol.api.status.SchedulingGroupsReply;
import io.stele.protocol.api.status.StatusActions;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.InMemoryRecordSet;
import io.trino.spi.connector.RecordCursor;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;
import org.jspecify.annotations.Nullable;

/**
 * The system table {@code system.queries} of the queries that scan in the sidecar, with their
 * scheduling groups, processor time and memory, as of the query.
 */
public final class QueriesTable implements SystemTable {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final ConnectorTableMetadata METADATA =
            new ConnectorTableMetadata(
                    new SchemaTableName("system", "queries"),
                    ImmutableList.of(
                            new ColumnMetadata("sidecar", VARCHAR),
                            new ColumnMetadata("group", VARCHAR),
                            new ColumnMetadata("query_id", VARCHAR),
                            new ColumnMetadata("user", VARCHAR),
                            new ColumnMetadata("source", VARCHAR),
                            new ColumnMetadata("resource_group", VARCHAR),
                            new ColumnMetadata("elapsed_seconds", DOUBLE),
                            new ColumnMetadata("shares", BIGINT),
                            new ColumnMetadata("entitled_share", DOUBLE),
                            new ColumnMetadata("cpu_share", DOUBLE),
                            new ColumnMetadata("cpu_seconds", DOUBLE),
                            new ColumnMetadata("contexts", BIGINT),
                            new ColumnMetadata("runnable", BIGINT),
                            new ColumnMetadata("waiting", BIGINT),
                            new ColumnMetadata("running", BIGINT),
                            new ColumnMetadata("queued", BIGINT),
                            new ColumnMetadata("paused", BIGINT),
                            new ColumnMetadata("memory_bytes", BIGINT)));

    private final SteleSidecar sidecar;

    @Inject
    public QueriesTable(SteleSidecar sidecar) {
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
    }

    @Override
    public Distribution getDistribution() {
        return Distribution.SINGLE_COORDINATOR;
    }

    @Override
    public ConnectorTableMetadata getTableMetadata() {
        return METADATA;
    }

    @Override
    public RecordCursor cursor(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            TupleDomain<Integer> constraint) {
        SchedulingGroupsReply reply = sidecar.call(StatusActions.SCHEDULING_GROUPS, Done.DONE);
        InMemoryRecordSet.Builder rows = InMemoryRecordSet.builder(METADATA);
        for (QueryStatus query : reply.queries()) {
            rows.addRow(
                    reply.nodeId(),
                    query.group(),
                    given(query.queryId()),
                    given(query.user()),
                    given(query.source()),
                    given(query.resourceGroup()),
                    query.elapsedNanos() / NANOS_PER_SECOND,
                    (long) query.shares(),
                    query.entitledShare(),
                    query.cpuShare(),
                    query.cpuNanos() / NANOS_PER_SECOND,
                    query.contexts(),
                    query.runnable(),
                    query.waiting(),
                    query.running(),
                    query.queued(),
                    query.paused(),
                    query.reservedBytes());
        }
        return rows.build().cursor();
    }

    /** Null in place of a value that the client did not give. */
    private static @Nullable String given(String value) {
        return value.isEmpty() ? null : value;
    }
}
