package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.stele.engine.catalog.CatalogService;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.flight.IpcMessages;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.session.StatementPreparer;
import io.stele.sidecar.postgresql.trino.TrinoGateway;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import io.stele.sidecar.statement.StatementStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of Flight SQL's commands, over the plans of the PostgreSQL port: statements,
 * prepared statements, transactions and metadata. Objects that clients open here have a limit, an
 * owner and an expiry. Blocks; thread-safe.
 */
public final class FlightSqlService {
    private static final long UNKNOWN = -1; // number of rows
    private static final int MAX_STATEMENTS = 10_000;
    private static final int MAX_TRANSACTIONS = 1_000;
    private static final int MAX_RESULTS = 10_000;
    private static final long MAX_STATEMENT_BYTES = 64 << 20;
    private static final long MAX_BOUND_BYTES = 1 << 20; // of a query's parameters

    /** The idle time of a prepared statement, which pools of connections keep. */
    private static final Duration STATEMENT_IDLE = Duration.ofHours(1);

    /** The idle time of a transaction, as of the lease of a snapshot. */
    static final Duration TRANSACTION_IDLE = Duration.ofMinutes(10);

    /** The time of a result between GetFlightInfo and DoGet. */
    private static final Duration RESULT_IDLE = Duration.ofMinutes(5);

    private final PlanExecutor executor;
    private final SqlStatements statements;
    private final SqlRunner runner;
    private final Metadata metadata;
    private final SqlIngestion ingestion;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final Executor threads;
    private final Handles<SqlPrepared> prepared;
    private final Handles<SqlTransaction> transactions;
    private final Handles<SqlQuery> queries;

    /**
     * The service over the statements and plans of the PostgreSQL port.
     *
     * @param trino runs statements without a fixed plan; empty: they are refused
     * @param access decides what callers see and may ingest into
     * @param catalogName of the one catalog that clients see
     * @param version of this sidecar
     * @param batchBytes size at which a batch of a result is sent
     */
    public static FlightSqlService create(
            PlanExecutor executor,
            StatementPreparer preparer,
            Optional<TrinoGateway> trino,
            AccessControl access,
            Supplier<CatalogService> catalog,
            String catalogName,
            String version,
            StatementStatistics statistics,
            InstantSource clock,
            long batchBytes) {
        SqlStatements statements =
                new SqlStatements(preparer, executor, trino, catalogName, System::nanoTime);
        ThreadFactory threads = Thread.ofVirtual().name("flight-sql-", 0).factory();
        return new FlightSqlService(
                executor,
                statements,
                new SqlRunner(
                        executor,
                        statements,
                        preparer.catalogQueries(),
                        trino,
                        statistics,
                        clock,
                        System::nanoTime,
                        batchBytes),
                new Metadata(
                        () -> catalog.get().current(),
                        access,
                        catalogName,
                        new SqlInfoRows(version, TRANSACTION_IDLE.toMillis())),
                new SqlIngestion(catalog, access, executor, statements, clock, catalogName),
                clock,
                System::nanoTime,
                new SecureRandom(),
                task -> threads.newThread(task).start());
    }

    /**
     * @param threads runs the work at the end of a DoPut
     */
    FlightSqlService(
            PlanExecutor executor,
            SqlStatements statements,
            SqlRunner runner,
            Metadata metadata,
            SqlIngestion ingestion,
            InstantSource clock,
            LongSupplier nanoTime,
            SecureRandom random,
            Executor threads) {
        this.executor = requireNonNull(executor, "executor is null");
        this.statements = requireNonNull(statements, "statements is null");
        this.runner = requireNonNull(runner, "runner is null");
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.ingestion = requireNonNull(ingestion, "ingestion is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.prepared =
                new Handles<>(
                        "a prepared statement",
                        MAX_STATEMENTS,
                        MAX_STATEMENT_BYTES,
                        STATEMENT_IDLE,
                        random,
                        nanoTime);
        this.transactions =
                new Handles<>(
                        "a transaction",
                        MAX_TRANSACTIONS,
                        Long.MAX_VALUE,
                        TRANSACTION_IDLE,
                        random,
                        nanoTime);
        this.queries =
                new Handles<>(
                        "a result",
                        MAX_RESULTS,
                        MAX_STATEMENT_BYTES,
                        RESULT_IDLE,
                        random,
                        nanoTime);
    }

    /**
     * The reply to GetFlightInfo.
     *
     * @param schema encapsulated
     * @param ticket of the rows; empty: there are none
     * @param records the number of rows that were changed, -1: it is not known
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Info(byte[] schema, Optional<byte[]> ticket, long records) {}

    /**
     * Plans a command that returns rows; it runs when they are read with the ticket. A change that
     * returns none runs at once: such a client may never read.
     *
     * @throws SteleException INVALID_ARGUMENT
     * @throws PostgresException if a statement is wrong
     */
    public Info info(byte[] command, SqlCaller caller) {
        Message message = SqlMessages.parse(command);
        return switch (message) {
            case FlightSql.CommandStatementQuery query ->
                    open(
                            statements.prepare(query.getQuery(), caller),
                            List.of(),
                            transaction(query.hasTransactionId(), query.getTransactionId(), caller),
                            caller);
            case FlightSql.CommandPreparedStatementQuery query -> {
                SqlPrepared found =
                        prepared.find(query.getPreparedStatementHandle(), caller.name());
                yield open(found.statement(), found.bound(), found.transaction(), caller);
            }
            default ->
                    new Info(encapsulated(metadataSchema(message)), Optional.of(command), UNKNOWN);
        };
    }

    private static byte[] encapsulated(byte[] schema) {
        return IpcMessages.encapsulate(ByteBuffer.wrap(schema));
    }

    private static byte[] metadataSchema(Message message) {
        return Metadata.schema(message).orElseThrow(() -> noRows(message));
    }

    private static SteleException noRows(Message message) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected a command that returns rows, found "
                        + message.getDescriptorForType().getName());
    }

    private Info open(
            SqlStatement statement,
            List<@Nullable Object> parameters,
            Optional<SqlTransaction> transaction,
            SqlCaller caller) {
        if (parameters.size() < statement.parameters().size()) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected %s parameters, found %s"
                            .formatted(statement.parameters().size(), parameters.size()));
        }
        if (statement.results().fields().isEmpty()) {
            long count =
                    Tasks.unchecked(
                            () ->
                                    runner.update(
                                            statement,
                                            SqlRunner.ParameterSource.of(parameters),
                                            transaction,
                                            caller,
                                            new Cancellation(nanoTime)));
            return new Info(statement.results().encapsulated(), Optional.empty(), count);
        }
        SqlQuery query =
                new SqlQuery(statement, parameters, transaction, new Cancellation(nanoTime));
        ByteString handle =
                queries.add(caller.name(), query, statement.sizeBytes() + sizeBytes(parameters));
        return new Info(
                statement.results().encapsulated(),
                Optional.of(
                        SqlMessages.pack(
                                FlightSql.TicketStatementQuery.newBuilder()
                                        .setStatementHandle(handle)
                                        .build())),
                UNKNOWN);
    }

    private Optional<SqlTransaction> transaction(boolean isIn, ByteString id, SqlCaller caller) {
        return isIn && !id.isEmpty()
                ? Optional.of(transactions.find(id, caller.name()))
                : Optional.empty();
    }

    /** The schema of the rows of a command, encapsulated; nothing is opened. */
    public byte[] schema(byte[] command, SqlCaller caller) {
        Message message = SqlMessages.parse(command);
        return switch (message) {
            case FlightSql.CommandStatementQuery query ->
                    statements.prepare(query.getQuery(), caller).results().encapsulated();
            case FlightSql.CommandPreparedStatementQuery query ->
                    prepared.find(query.getPreparedStatementHandle(), caller.name())
                            .statement()
                            .results()
                            .encapsulated();
            default -> encapsulated(metadataSchema(message));
        };
    }

    /** The rows of a ticket. */
    public SqlResult result(byte[] ticket, SqlCaller caller) {
        Message message = SqlMessages.parse(ticket);
        if (!(message instanceof FlightSql.TicketStatementQuery statement)) {
            byte[] unused = metadataSchema(message);
            return new MetadataResult(message, caller);
        }
        ByteString handle = statement.getStatementHandle();
        SqlQuery query = queries.find(handle, caller.name());
        query.start();
        return new QueryResult(handle, query, caller);
    }

    private final class MetadataResult implements SqlResult {
        private final Message command;
        private final SqlCaller caller;

        private MetadataResult(Message command, SqlCaller caller) {
            this.command = command;
            this.caller = caller;
        }

        @Override
        public void send(BatchOutput out) {
            metadata.send(command, caller.user(), out);
        }

        @Override
        public void cancel() {}
    }

    private final class QueryResult implements SqlResult {
        private final ByteString handle;
        private final SqlQuery query;
        private final SqlCaller caller;

        private QueryResult(ByteString handle, SqlQuery query, SqlCaller caller) {
            this.handle = handle;
            this.query = query;
            this.caller = caller;
        }

        @Override
        public void send(BatchOutput out) throws IOException {
            try {
                runner.query(query, caller, out);
            } finally {
                query.close();
                boolean unused = queries.forget(handle);
            }
        }

        @Override
        public void cancel() {
            query.cancellation().request();
        }
    }

    /**
     * Begins a DoPut.
     *
     * @param fields of its batches
     */
    public SqlPut put(byte[] command, List<ArrowField> fields, SqlCaller caller) {
        Message message = SqlMessages.parse(command);
        Cancellation cancellation = new Cancellation(nanoTime);
        return switch (message) {
            case FlightSql.CommandStatementUpdate update -> {
                SqlStatement statement = statements.prepare(update.getQuery(), caller);
                Optional<SqlTransaction> transaction =
                        transaction(update.hasTransactionId(), update.getTransactionId(), caller);
                yield update(statement, fields, transaction, caller, cancellation, true);
            }
            case FlightSql.CommandPreparedStatementUpdate update -> {
                SqlPrepared found =
                        prepared.find(update.getPreparedStatementHandle(), caller.name());
                yield update(
                        found.statement(),
                        fields,
                        found.transaction(),
                        caller,
                        cancellation,
                        false);
            }
            case FlightSql.CommandPreparedStatementQuery query -> {
                SqlPrepared found =
                        prepared.find(query.getPreparedStatementHandle(), caller.name());
                yield new CollectedPut(
                        found.statement().parameters(),
                        fields,
                        parameters ->
                                bind(found, query.getPreparedStatementHandle(), parameters, caller),
                        cancellation,
                        threads,
                        false);
            }
            case FlightSql.CommandStatementIngest ingest ->
                    ingestion.begin(
                            ingest,
                            fields,
                            transaction(
                                    ingest.hasTransactionId(), ingest.getTransactionId(), caller),
                            caller,
                            cancellation,
                            threads);
            default ->
                    throw new SteleException(
                            ErrorCode.INVALID_ARGUMENT,
                            "Expected a command that takes rows, found "
                                    + message.getDescriptorForType().getName());
        };
    }

    private SqlPut update(
            SqlStatement statement,
            List<ArrowField> fields,
            Optional<SqlTransaction> transaction,
            SqlCaller caller,
            Cancellation cancellation,
            boolean isWithoutParameters) {
        SqlRunner.requireChange(statement);
        return new CollectedPut(
                statement.parameters(),
                fields,
                parameters ->
                        updated(
                                runner.update(
                                        statement, parameters, transaction, caller, cancellation)),
                cancellation,
                threads,
                isWithoutParameters);
    }

    /** The metadata of the result of a change. */
    static byte[] updated(long count) {
        return FlightSql.DoPutUpdateResult.newBuilder().setRecordCount(count).build().toByteArray();
    }

    private byte[] bind(
            SqlPrepared statement,
            ByteString handle,
            SqlRunner.ParameterSource parameters,
            SqlCaller caller)
            throws IOException {
        if (parameters.count() != 1) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected one row of parameters for a query, found " + parameters.count());
        }
        parameters.forEach(
                values -> {
                    long bytes = sizeBytes(values);
                    if (bytes > MAX_BOUND_BYTES) {
                        throw new PostgresException(
                                SqlState.LIMIT_EXCEEDED,
                                "Expected parameters of at most %s bytes for a query, found %s"
                                        .formatted(MAX_BOUND_BYTES, bytes));
                    }
                    prepared.resize(
                            handle, caller.name(), statement.statement().sizeBytes() + bytes);
                    statement.bind(values);
                });
        return FlightSql.DoPutPreparedStatementResult.newBuilder()
                .setPreparedStatementHandle(handle)
                .build()
                .toByteArray();
    }

    private static long sizeBytes(@Nullable Object value) {
        return switch (value) {
            case String text -> 2L * text.length();
            case byte[] bytes -> bytes.length;
            case List<?> elements -> elements.stream().mapToLong(FlightSqlService::sizeBytes).sum();
            case null, default -> 16;
        };
    }

    /** Prepares a statement; it is closed by {@link #closeStatement}. */
    FlightSql.ActionCreatePreparedStatementResult createStatement(
            FlightSql.ActionCreatePreparedStatementRequest request, SqlCaller caller) {
        SqlStatement statement = statements.prepare(request.getQuery(), caller);
        Optional<SqlTransaction> transaction =
                transaction(request.hasTransactionId(), request.getTransactionId(), caller);
        ByteString handle =
                prepared.add(
                        caller.name(),
                        new SqlPrepared(statement, transaction),
                        statement.sizeBytes());
        FlightSql.ActionCreatePreparedStatementResult.Builder result =
                FlightSql.ActionCreatePreparedStatementResult.newBuilder()
                        .setPreparedStatementHandle(handle);
        if (!statement.results().fields().isEmpty()) {
            result.setDatasetSchema(ByteString.copyFrom(statement.results().encapsulated()));
        }
        if (!statement.parameterTypes().isEmpty()) {
            result.setParameterSchema(
                    ByteString.copyFrom(
                            ResultSchema.ofParameters(statement.parameterTypes()).encapsulated()));
        }
        return result.build();
    }

    /** Closes a prepared statement; one that is gone is no error. */
    void closeStatement(ByteString handle, SqlCaller caller) {
        try {
            prepared.remove(handle, caller.name()).close();
        } catch (PostgresException gone) {
            // closed already, or expired
        }
    }

    ByteString beginTransaction(SqlCaller caller) {
        return transactions.add(caller.name(), new SqlTransaction(executor, clock.instant()), 0);
    }

    void endTransaction(ByteString id, boolean commits, SqlCaller caller) {
        SqlTransaction transaction = transactions.remove(id, caller.name());
        try (transaction) {
            if (commits) {
                transaction.commit();
            }
        }
    }

    /** How a request to cancel a result ended. */
    enum Cancelled {
        BEFORE_IT_BEGAN,
        WHILE_IT_RUNS,
        NOT_KNOWN
    }

    /** Cancels the statement of a ticket. */
    Cancelled cancel(byte[] ticket, SqlCaller caller) {
        if (!SqlMessages.isSql(ticket)
                || !(SqlMessages.parse(ticket) instanceof FlightSql.TicketStatementQuery query)) {
            return Cancelled.NOT_KNOWN;
        }
        ByteString handle = query.getStatementHandle();
        SqlQuery found;
        try {
            found = queries.find(handle, caller.name());
        } catch (PostgresException gone) {
            return Cancelled.NOT_KNOWN;
        }
        if (found.cancel()) {
            return Cancelled.WHILE_IT_RUNS;
        }
        boolean unused = queries.forget(handle);
        return Cancelled.BEFORE_IT_BEGAN;
    }

    /** Closes statements, transactions and results that were not used for long. */
    public void expire() {
        prepared.expire();
        transactions.expire();
        queries.expire();
    }

    /** Closes everything that is open. */
    public void close() {
        prepared.close();
        transactions.close();
        queries.close();
    }
}
