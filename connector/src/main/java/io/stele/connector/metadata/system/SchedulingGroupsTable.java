package io.stele.connector.metadata.system;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.status.SchedulingGroupStatus;
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

/**
 * The system table {@code system.scheduling_groups} of the sidecar's scheduling groups, with the
 * shares and counters of each group in each thread pool, as of the query.
 */
public final class SchedulingGroupsTable implements SystemTable {
    private static final ConnectorTableMetadata METADATA =
            new ConnectorTableMetadata(
                    new SchemaTableName("system", "scheduling_groups"),
                    ImmutableList.of(
                            new ColumnMetadata("sidecar", VARCHAR),
                            new ColumnMetadata("pool", VARCHAR),
                            new ColumnMetadata("group", VARCHAR),
                            new ColumnMetadata("shares", BIGINT),
                            new ColumnMetadata("entitled_share", DOUBLE),
                            new ColumnMetadata("cpu_share", DOUBLE),
                            new ColumnMetadata("runnable", BIGINT),
                            new ColumnMetadata("waiting", BIGINT),
                            new ColumnMetadata("running", BIGINT),
                            new ColumnMetadata("queued", BIGINT),
                            new ColumnMetadata("switches", BIGINT),
                            new ColumnMetadata("quantum_overruns", BIGINT),
                            new ColumnMetadata("steals", BIGINT),
                            new ColumnMetadata("rejected", BIGINT),
                            new ColumnMetadata("memory_bytes", BIGINT),
                            new ColumnMetadata("max_memory_bytes", BIGINT)));

    private final SteleSidecar sidecar;

    @Inject
    public SchedulingGroupsTable(SteleSidecar sidecar) {
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
        for (SchedulingGroupStatus group : reply.groups()) {
            rows.addRow(
                    reply.nodeId(),
                    group.pool(),
                    group.group(),
                    (long) group.shares(),
                    group.entitledShare(),
                    group.cpuShare(),
                    group.runnable(),
                    group.waiting(),
                    group.running(),
                    group.queued(),
                    group.switches(),
                    group.quantumOverruns(),
                    group.steals(),
                    group.rejected(),
                    group.reservedBytes(),
                    group.maxReservedBytes().isPresent()
                            ? group.maxReservedBytes().getAsLong()
                            : null);
        }
        return rows.build().cursor();
    }
}
