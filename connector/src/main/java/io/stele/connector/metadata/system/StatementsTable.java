package io.stele.connector.metadata.system;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.status.StatementStatus;
import io.stele.protocol.api.status.StatementsReply;
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
 * The system table {@code system.statements} of the statistics of SQL statements that the sidecar
 * ran for clients of PostgreSQL's protocol and Flight SQL, by user and statement without constants,
 * as of the query.
 */
public final class StatementsTable implements SystemTable {
    private static final ConnectorTableMetadata METADATA =
            new ConnectorTableMetadata(
                    new SchemaTableName("system", "statements"),
                    ImmutableList.of(
                            new ColumnMetadata("sidecar", VARCHAR),
                            new ColumnMetadata("user", VARCHAR),
                            new ColumnMetadata("query_id", BIGINT),
                            new ColumnMetadata("statement", VARCHAR),
                            new ColumnMetadata("calls", BIGINT),
                            new ColumnMetadata("failures", BIGINT),
                            new ColumnMetadata("rows", BIGINT),
                            new ColumnMetadata("total_seconds", DOUBLE),
                            new ColumnMetadata("min_seconds", DOUBLE),
                            new ColumnMetadata("max_seconds", DOUBLE),
                            new ColumnMetadata("median_seconds", DOUBLE),
                            new ColumnMetadata("p99_seconds", DOUBLE)));

    private final SteleSidecar sidecar;

    @Inject
    public StatementsTable(SteleSidecar sidecar) {
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
        StatementsReply reply = sidecar.call(StatusActions.STATEMENTS, Done.DONE);
        InMemoryRecordSet.Builder rows = InMemoryRecordSet.builder(METADATA);
        for (StatementStatus statement : reply.statements()) {
            rows.addRow(
                    reply.nodeId(),
                    statement.user(),
                    statement.queryId(),
                    statement.statement(),
                    statement.calls(),
                    statement.failures(),
                    statement.rows(),
                    statement.totalSeconds(),
                    statement.minSeconds(),
                    statement.maxSeconds(),
                    statement.medianSeconds(),
                    statement.p99Seconds());
        }
        return rows.build().cursor();
    }
}
