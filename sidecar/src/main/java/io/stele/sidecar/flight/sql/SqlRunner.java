package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.arrow.ArrowMessage;
import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.catalog.CatalogQueries;
import io.stele.sidecar.postgresql.catalog.CatalogResult;
import io.stele.sidecar.postgresql.catalog.CatalogSession;
import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.SelectPlan;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.run.PlanRows;
import io.stele.sidecar.postgresql.run.RowTransaction;
import io.stele.sidecar.postgresql.run.StagedInsert;
import io.stele.sidecar.postgresql.run.StalePlanException;
import io.stele.sidecar.postgresql.session.PreparedStatement;
import io.stele.sidecar.postgresql.trino.TrinoGateway;
import io.stele.sidecar.postgresql.trino.TrinoRows;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import io.stele.sidecar.statement.StatementRunner;
import io.stele.sidecar.statement.StatementStatistics;
import java.io.IOException;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The execution of prepared statements for callers of Flight SQL, by fixed plans on rows, on the
 * catalog, or by Trino. Blocks; thread-safe.
 */
final class SqlRunner {
    private static final int MAX_ATTEMPTS = 3;
    private static final int STAGED_ROWS = 1_000;

    private final PlanExecutor executor;
    private final SqlStatements statements;
    private final CatalogQueries catalogQueries;
    private final Optional<TrinoGateway> trino;
    private final StatementStatistics statistics;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final long batchBytes;

    /**
     * @param batchBytes size at which a batch is sent
     */
    SqlRunner(
            PlanExecutor executor,
            SqlStatements statements,
            CatalogQueries catalogQueries,
            Optional<TrinoGateway> trino,
            StatementStatistics statistics,
            InstantSource clock,
            LongSupplier nanoTime,
            long batchBytes) {
        this.executor = requireNonNull(executor, "executor is null");
        this.statements = requireNonNull(statements, "statements is null");
        this.catalogQueries = requireNonNull(catalogQueries, "catalogQueries is null");
        this.trino = requireNonNull(trino, "trino is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.batchBytes = batchBytes;
    }

    /** The rows of parameters of a statement; may be iterated several times. */
    interface ParameterSource {
        /** The number of rows. */
        long count();

        void forEach(RowAction action) throws IOException;

        /** One row. */
        static ParameterSource of(List<@Nullable Object> values) {
            return new ParameterSource() {
                @Override
                public long count() {
                    return 1;
                }

                @Override
                public void forEach(RowAction action) throws IOException {
                    action.accept(values);
                }
            };
        }

        /** The work on one row. */
        interface RowAction {
            void accept(List<@Nullable Object> values) throws IOException;
        }
    }

    private Scope.Session session(SqlCaller caller, Optional<SqlTransaction> transaction) {
        return caller.session(SqlTransaction.times(transaction, clock));
    }

    private static Client client(SqlCaller caller, Cancellation cancellation) {
        return new Client(caller.user(), caller.identity(), cancellation);
    }

    /** Runs a statement that returns rows, and sends them. */
    void query(SqlQuery query, SqlCaller caller, BatchOutput out) throws IOException {
        CountedOutput counted = new CountedOutput(out);
        long unused =
                counted(
                        query.statement(),
                        caller,
                        () -> {
                            run(query, caller, counted);
                            return counted.rowCount;
                        });
    }

    /** A statement's work, which returns the number of rows sent, or changed. */
    private interface Work {
        long run() throws IOException;
    }

    /** Does a statement's work, and adds it to the statistics. */
    private long counted(SqlStatement statement, SqlCaller caller, Work work) throws IOException {
        long start = nanoTime.getAsLong();
        long rowCount = 0;
        boolean isDone = false;
        try {
            rowCount = work.run();
            isDone = true;
            return rowCount;
        } finally {
            statistics.ended(
                    caller.name(),
                    statement.prepared().sql(),
                    switch (statement.prepared().kind()) {
                        case PreparedStatement.OnCatalog ignored -> StatementRunner.CATALOG;
                        case PreparedStatement.OnTrino ignored -> StatementRunner.TRINO;
                        default -> StatementRunner.FIXED_PLAN;
                    },
                    nanoTime.getAsLong() - start,
                    rowCount,
                    !isDone);
        }
    }

    /** An output that counts rows. Confined to one thread. */
    private static final class CountedOutput implements BatchOutput {
        private final BatchOutput out;
        private long rowCount;

        private CountedOutput(BatchOutput out) {
            this.out = out;
        }

        @Override
        public void schema(byte[] message) {
            out.schema(message);
        }

        @Override
        public void batch(ArrowMessage batch) {
            rowCount += batch.rowCount();
            out.batch(batch);
        }
    }

    private void run(SqlQuery query, SqlCaller caller, BatchOutput out) throws IOException {
        switch (query.statement().prepared().kind()) {
            case PreparedStatement.OnRows ignored -> queryRows(query, caller, out);
            case PreparedStatement.OnCatalog ignored -> queryCatalog(query, caller, out);
            case PreparedStatement.OnTrino kind -> queryTrino(query, kind, caller, out);
            default -> throw new IllegalStateException("Expected a statement with rows");
        }
    }

    private void queryRows(SqlQuery query, SqlCaller caller, BatchOutput out) throws IOException {
        Client client = client(caller, query.cancellation());
        SqlStatement statement = statements.current(query.statement());
        for (int attempt = 1; ; attempt++) {
            Sent sent = new Sent(statement.results(), out);
            try {
                queryRows(statement, query, caller, client, sent);
                return;
            } catch (StalePlanException stale) {
                if (sent.hasBegun || attempt == MAX_ATTEMPTS) {
                    throw stale.whileRunning();
                }
                statement = statements.replanned(statement);
            }
        }
    }

    private void queryRows(
            SqlStatement statement, SqlQuery query, SqlCaller caller, Client client, Sent sent)
            throws IOException {
        FixedPlan plan = plan(statement);
        Scope scope = new Scope(query.parameters(), session(caller, query.transaction()));
        ArrowRowSink sink = ArrowRowSink.of(statement.results(), plan.results());
        if (query.transaction().isEmpty()) {
            try (PlanRows rows = open(plan, scope, Optional.empty(), client)) {
                send(rows, sink, sent);
            }
            return;
        }
        try (SqlTransaction.Use use = query.transaction().get().enter(client);
                PlanRows rows = openIn(use, plan, scope, client)) {
            send(rows, sink, sent);
        }
    }

    private PlanRows openIn(SqlTransaction.Use use, FixedPlan plan, Scope scope, Client client)
            throws IOException {
        boolean isDone = plan instanceof SelectPlan;
        try {
            PlanRows rows = open(plan, scope, Optional.of(use.rows()), client);
            isDone = true;
            return rows;
        } finally {
            if (!isDone) {
                use.fail();
            }
        }
    }

    private PlanRows open(
            FixedPlan plan, Scope scope, Optional<RowTransaction> transaction, Client client)
            throws IOException {
        return plan instanceof SelectPlan select
                ? executor.select(select, scope, transaction, client)
                : executor.change(plan, scope, transaction, client).rows();
    }

    private static FixedPlan plan(SqlStatement statement) {
        return ((PreparedStatement.OnRows) statement.prepared().kind()).plan();
    }

    private void send(PlanRows rows, ArrowRowSink sink, Sent sent) throws IOException {
        while (rows.next(sink)) {
            if (sink.isFull(batchBytes)) {
                sent.send(sink.finish());
            }
        }
        sent.end(sink);
    }

    /** The messages of a result, and whether any was sent to the client. */
    private static final class Sent {
        private final ResultSchema schema;
        private final BatchOutput out;
        private boolean hasBegun;

        private Sent(ResultSchema schema, BatchOutput out) {
            this.schema = schema;
            this.out = out;
        }

        private void begin() {
            if (!hasBegun) {
                hasBegun = true;
                out.schema(schema.message());
            }
        }

        private void send(ArrowMessage batch) {
            begin();
            out.batch(batch);
        }

        private void end(ArrowRowSink sink) {
            begin();
            if (sink.rowCount() > 0) {
                out.batch(sink.finish());
            }
        }
    }

    private void queryCatalog(SqlQuery query, SqlCaller caller, BatchOutput out) {
        SqlStatement statement = query.statement();
        List<Optional<String>> parameters = texts(query.parameters());
        PreparedStatement.OnCatalog kind =
                (PreparedStatement.OnCatalog) statement.prepared().kind();
        CatalogResult result =
                catalogQueries.run(
                        statement.prepared().sql(),
                        parameters,
                        kind.parameterOids(),
                        new CatalogSession(
                                caller.user(),
                                0,
                                Map.of(),
                                SqlTransaction.times(query.transaction(), clock)));
        TextRows rows = new TextRows(result.columns(), statement.results(), out);
        result.rows().forEach(rows::send);
        rows.end();
    }

    private static List<Optional<String>> texts(List<@Nullable Object> parameters) {
        List<Optional<String>> texts = new ArrayList<>();
        for (Object value : parameters) {
            texts.add(Optional.ofNullable(value).map(TextFormat::write));
        }
        return texts;
    }

    /** A sender of rows that come as texts of PostgreSQL. Confined to one thread. */
    private final class TextRows {
        private final List<PostgresType> types;
        private final ArrowRowSink sink;
        private final Sent sent;

        private TextRows(List<CatalogColumn> columns, ResultSchema schema, BatchOutput out) {
            this.types = columns.stream().map(ResultSchema::typeOf).toList();
            this.sink = ArrowRowSink.ofValues(schema, types);
            this.sent = new Sent(schema, out);
        }

        private void send(List<Optional<String>> row) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = 0; i < types.size(); i++) {
                PostgresType type = types.get(i);
                values.add(
                        row.get(i)
                                .map(text -> TextFormat.read(type, text, ZoneOffset.UTC))
                                .orElse(null));
            }
            sink.values(values);
            if (sink.isFull(batchBytes)) {
                sent.send(sink.finish());
            }
        }

        private void end() {
            sent.end(sink);
        }
    }

    /**
     * Runs a query by Trino, outside of transactions; it is refused if it would miss changes of its
     * transaction.
     */
    private void queryTrino(
            SqlQuery query, PreparedStatement.OnTrino kind, SqlCaller caller, BatchOutput out) {
        requireNoChanges(query.transaction(), client(caller, query.cancellation()));
        try (TrinoRows rows =
                trino.orElseThrow()
                        .run(
                                kind.statement(),
                                kind.mayChange(),
                                kind.parameterOids(),
                                texts(query.parameters()),
                                caller.ofTrino(),
                                query.cancellation())) {
            List<CatalogColumn> columns = rows.columns();
            ResultSchema schema = query.statement().results();
            if (!ResultSchema.of(columns).fields().equals(schema.fields())) {
                throw PreparedStatement.otherColumns("");
            }
            TextRows sent = new TextRows(columns, schema, out);
            Optional<List<Optional<String>>> row = rows.next();
            while (row.isPresent()) {
                sent.send(row.get());
                row = rows.next();
            }
            sent.end();
        }
    }

    private static void requireNoChanges(Optional<SqlTransaction> transaction, Client client) {
        if (transaction.isEmpty()) {
            return;
        }
        try (SqlTransaction.Use use = transaction.get().enter(client)) {
            use.rows().requireNoChanges();
        }
    }

    /** Runs DDL, or a change without a fixed plan, by Trino. */
    private long updateByTrino(
            PreparedStatement.OnTrino kind,
            ParameterSource parameters,
            Optional<SqlTransaction> transaction,
            SqlCaller caller,
            Cancellation cancellation)
            throws IOException {
        if (transaction.isPresent() || parameters.count() != 1) {
            throw new PostgresException(
                    SqlState.ACTIVE_TRANSACTION,
                    "Expected a statement that Trino runs outside a transaction and with one row of"
                            + " parameters, found it in one or with "
                            + parameters.count());
        }
        long[] count = new long[1];
        parameters.forEach(
                values -> {
                    try (TrinoRows rows =
                            trino.orElseThrow()
                                    .run(
                                            kind.statement(),
                                            kind.mayChange(),
                                            kind.parameterOids(),
                                            texts(values),
                                            caller.ofTrino(),
                                            cancellation)) {
                        count[0] = TrinoRows.changedRows(rows.complete(""));
                        if (rows.newSchema().isPresent()) {
                            throw new PostgresException(
                                    SqlState.FEATURE_NOT_SUPPORTED,
                                    "Expected the schema of tables in the header 'schema', found USE");
                        }
                    }
                });
        return count[0];
    }

    /**
     * Runs a statement that changes rows, once for each row of parameters, in one transaction; the
     * rows of RETURNING are dropped. Returns how many rows it has changed.
     */
    long update(
            SqlStatement prepared,
            ParameterSource parameters,
            Optional<SqlTransaction> transaction,
            SqlCaller caller,
            Cancellation cancellation)
            throws IOException {
        requireChange(prepared);
        return counted(
                prepared,
                caller,
                () -> run(prepared, parameters, transaction, caller, cancellation));
    }

    private long run(
            SqlStatement prepared,
            ParameterSource parameters,
            Optional<SqlTransaction> transaction,
            SqlCaller caller,
            Cancellation cancellation)
            throws IOException {
        if (prepared.prepared().kind() instanceof PreparedStatement.OnTrino kind) {
            return updateByTrino(kind, parameters, transaction, caller, cancellation);
        }
        SqlStatement statement = statements.current(prepared);
        for (int attempt = 1; ; attempt++) {
            try {
                return updateOnce(statement, parameters, transaction, caller, cancellation);
            } catch (StalePlanException stale) {
                if (transaction.isPresent() || attempt == MAX_ATTEMPTS) {
                    throw stale.whileRunning();
                }
                statement = statements.replanned(statement);
            }
        }
    }

    /**
     * @throws PostgresException INVALID_PARAMETER_VALUE if it is a query
     */
    static void requireChange(SqlStatement statement) {
        boolean isChange =
                switch (statement.prepared().kind()) {
                    case PreparedStatement.OnRows rows -> !(rows.plan() instanceof SelectPlan);
                    case PreparedStatement.OnTrino kind -> !kind.returnsRows();
                    default -> false;
                };
        if (!isChange) {
            throw new PostgresException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "Expected INSERT, UPDATE or DELETE as an update, found a query");
        }
    }

    private long updateOnce(
            SqlStatement statement,
            ParameterSource parameters,
            Optional<SqlTransaction> transaction,
            SqlCaller caller,
            Cancellation cancellation)
            throws IOException {
        FixedPlan plan = plan(statement);
        Client client = client(caller, cancellation);
        Scope.Session session = session(caller, transaction);
        if (transaction.isPresent()) {
            try (SqlTransaction.Use use = transaction.get().enter(client)) {
                boolean isDone = false;
                try {
                    long count = each(plan, parameters, session, Optional.of(use.rows()), client);
                    isDone = true;
                    return count;
                } finally {
                    if (!isDone) {
                        use.fail();
                    }
                }
            }
        }
        if (parameters.count() == 1) {
            return each(plan, parameters, session, Optional.empty(), client);
        }
        if (plan instanceof InsertPlan insert
                && insert.onConflict() == FixedPlan.ConflictAction.FAIL) {
            return insertAll(insert, parameters, session, client);
        }
        return executor.repeated(
                client, own -> each(plan, parameters, session, Optional.of(own), client));
    }

    private long each(
            FixedPlan plan,
            ParameterSource parameters,
            Scope.Session session,
            Optional<RowTransaction> transaction,
            Client client)
            throws IOException {
        if (transaction.isPresent()
                && plan instanceof InsertPlan insert
                && insert.onConflict() == FixedPlan.ConflictAction.FAIL) {
            return insertAll(insert, parameters, session, transaction.get(), client);
        }
        long[] count = new long[1];
        parameters.forEach(
                values -> {
                    client.cancellation().check();
                    count[0] +=
                            executor.change(plan, new Scope(values, session), transaction, client)
                                    .count();
                });
        return count[0];
    }

    private long insertAll(
            InsertPlan plan,
            ParameterSource parameters,
            Scope.Session session,
            RowTransaction transaction,
            Client client)
            throws IOException {
        long[] count = new long[1];
        List<List<@Nullable Object>> rows = new ArrayList<>();
        parameters.forEach(
                values -> {
                    rows.add(values);
                    if (rows.size() == STAGED_ROWS) {
                        client.cancellation().check();
                        count[0] += executor.copy(plan, rows, session, transaction, client);
                        rows.clear();
                    }
                });
        return count[0] + executor.copy(plan, rows, session, transaction, client);
    }

    /** Inserts many rows that need no values of existing rows. */
    private long insertAll(
            InsertPlan plan, ParameterSource parameters, Scope.Session session, Client client)
            throws IOException {
        executor.checkAccess(plan, client);
        try (StagedInsert insert = executor.beginInsert(plan.table(), client)) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            parameters.forEach(
                    values -> {
                        rows.add(values);
                        if (rows.size() == STAGED_ROWS) {
                            client.cancellation().check();
                            insert.add(plan, rows, session);
                            rows.clear();
                        }
                    });
            insert.add(plan, rows, session);
            insert.commit();
        }
        return parameters.count() * plan.rows().size();
    }
}
