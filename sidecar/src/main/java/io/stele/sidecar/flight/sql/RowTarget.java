package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.row.RowEncoder;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.run.StagedInsert;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The destination of rows that a Flight SQL client ingests: staged rows of a table, or an open
 * transaction. Confined to one thread at a time.
 */
sealed interface RowTarget extends AutoCloseable {
    void add(ArrowBatch batch) throws IOException;

    /** Makes the rows visible, or leaves that to their transaction. */
    void commit();

    /** Aborts the rows that were not committed. */
    @Override
    void close();

    /** Rows whose Arrow columns are those of the table: they are encoded without objects. */
    final class Encoded implements RowTarget {
        private final StagedInsert insert;
        private final ArrowRows rows;
        private final RowEncoder encoder;
        private final Optional<TableId> publish;
        private final Runnable whenGivenUp;
        private boolean isCommitted;

        /**
         * @param publish the table, if it is staged
         * @param whenGivenUp runs after the end, unless the rows are visible
         */
        Encoded(
                StagedInsert insert,
                ArrowRows rows,
                Optional<TableId> publish,
                Runnable whenGivenUp) {
            this.insert = requireNonNull(insert, "insert is null");
            this.rows = requireNonNull(rows, "rows is null");
            this.encoder = new RowEncoder(rows.layout());
            this.publish = requireNonNull(publish, "publish is null");
            this.whenGivenUp = requireNonNull(whenGivenUp, "whenGivenUp is null");
        }

        @Override
        public void add(ArrowBatch batch) {
            for (int row = 0; row < batch.rowCount(); row++) {
                int length = rows.encode(batch, row, encoder);
                insert.add(encoder.array(), length);
            }
        }

        @Override
        public void commit() {
            insert.commit(publish);
            isCommitted = true;
        }

        @Override
        public void close() {
            insert.close();
            if (!isCommitted) {
                whenGivenUp.run();
            }
        }
    }

    /** Rows that are cast, or given default values, as in INSERT. */
    final class Planned implements RowTarget {
        private final StagedInsert insert;
        private final InsertPlan plan;
        private final ParameterRows parameters;
        private final Scope.Session session;

        Planned(
                StagedInsert insert,
                InsertPlan plan,
                ParameterRows parameters,
                Scope.Session session) {
            this.insert = requireNonNull(insert, "insert is null");
            this.plan = requireNonNull(plan, "plan is null");
            this.parameters = requireNonNull(parameters, "parameters is null");
            this.session = requireNonNull(session, "session is null");
        }

        @Override
        public void add(ArrowBatch batch) {
            for (int row = 0; row < batch.rowCount(); row++) {
                long unused = insert.add(plan, List.of(parameters.read(batch, row)), session);
            }
        }

        @Override
        public void commit() {
            insert.commit();
        }

        @Override
        public void close() {
            insert.close();
        }
    }

    /** Rows of a transaction, in which they are kept until it commits. */
    final class InTransaction implements RowTarget {
        private static final int ROWS_AT_ONCE = 1_000;

        private final PlanExecutor executor;
        private final InsertPlan plan;
        private final ParameterRows parameters;
        private final Scope.Session session;
        private final SqlTransaction transaction;
        private final Client client;
        private boolean isComplete;

        InTransaction(
                PlanExecutor executor,
                InsertPlan plan,
                ParameterRows parameters,
                Scope.Session session,
                SqlTransaction transaction,
                Client client) {
            this.executor = requireNonNull(executor, "executor is null");
            this.plan = requireNonNull(plan, "plan is null");
            this.parameters = requireNonNull(parameters, "parameters is null");
            this.session = requireNonNull(session, "session is null");
            this.transaction = requireNonNull(transaction, "transaction is null");
            this.client = requireNonNull(client, "client is null");
        }

        @Override
        public void add(ArrowBatch batch) throws IOException {
            try (SqlTransaction.Use use = transaction.enter(client)) {
                boolean isDone = false;
                try {
                    add(batch, use);
                    isDone = true;
                } finally {
                    if (!isDone) {
                        use.fail();
                    }
                }
            }
        }

        private void add(ArrowBatch batch, SqlTransaction.Use use) throws IOException {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (int row = 0; row < batch.rowCount(); row++) {
                rows.add(parameters.read(batch, row));
                if (rows.size() == ROWS_AT_ONCE) {
                    long unused = executor.copy(plan, rows, session, use.rows(), client);
                    rows.clear();
                }
            }
            long unused = executor.copy(plan, rows, session, use.rows(), client);
        }

        @Override
        public void commit() {
            isComplete = true;
        }

        /** Treats the rows of an abandoned ingestion as the rows of a failed statement. */
        @Override
        public void close() {
            if (!isComplete) {
                transaction.fail();
            }
        }
    }
}
