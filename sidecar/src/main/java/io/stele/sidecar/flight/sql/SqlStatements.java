package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.plan.ParameterTypes;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.session.PreparedStatement;
import io.stele.sidecar.postgresql.session.StatementPreparer;
import io.stele.sidecar.postgresql.trino.TrinoGateway;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The preparation of statements for callers of Flight SQL, by the preparer of the PostgreSQL port.
 * Thread-safe.
 */
final class SqlStatements {
    private final StatementPreparer preparer;
    private final PlanExecutor executor;
    private final Optional<TrinoGateway> trino;
    private final String catalog;
    private final LongSupplier nanoTime;

    /**
     * @param catalog the name that tables are shown under
     */
    SqlStatements(
            StatementPreparer preparer,
            PlanExecutor executor,
            Optional<TrinoGateway> trino,
            String catalog,
            LongSupplier nanoTime) {
        this.trino = requireNonNull(trino, "trino is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.preparer = requireNonNull(preparer, "preparer is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    /**
     * Prepares one statement.
     *
     * @throws PostgresException FEATURE_NOT_SUPPORTED if it has no fixed plan; the message states
     *     what would give it one
     */
    SqlStatement prepare(String sql, SqlCaller caller) {
        PreparedStatement prepared =
                preparer.prepare(
                        Placeholders.numbered(sql), List.of(), caller.searchPath(), caller.user());
        return switch (prepared.kind()) {
            case PreparedStatement.OnRows rows -> onRows(prepared, rows);
            case PreparedStatement.OnCatalog catalogQuery -> {
                List<ParameterTypes.Type> parameters =
                        new ParameterTypes(catalogQuery.parameterOids()).all();
                yield new SqlStatement(
                        prepared,
                        ResultSchema.of(
                                preparer.catalogQueries()
                                        .describe(
                                                prepared.sql(),
                                                prepared.parameterOids(),
                                                caller.user())),
                        parameters,
                        parameters.stream().map(type -> ArrowTypes.of(type.type())).toList());
            }
            case PreparedStatement.OnTrino onTrino -> onTrino(prepared, onTrino, caller);
            case PreparedStatement.Empty ignored ->
                    throw new PostgresException(
                            SqlState.SYNTAX_ERROR, "Expected a statement, found none");
            case PreparedStatement.OnSession ignored ->
                    throw new PostgresException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "Expected a statement on rows, found '%s'"
                                    .formatted(shown(prepared.sql())),
                            Optional.of(
                                    "Flight SQL has no sessions: transactions are its actions"
                                            + " BeginTransaction and EndTransaction, the schema of"
                                            + " tables without one is the header 'schema', rows"
                                            + " are loaded by its ingestion."));
        };
    }

    /** Prepares a statement that Trino runs; Trino describes its parameters and results. */
    private SqlStatement onTrino(
            PreparedStatement prepared, PreparedStatement.OnTrino kind, SqlCaller caller) {
        TrinoGateway gateway = trino.orElseThrow();
        Cancellation cancellation = new Cancellation(nanoTime);
        List<Integer> oids =
                kind.statement().numbers().isEmpty()
                        ? prepared.parameterOids()
                        : gateway.parameterOids(
                                kind.statement(),
                                kind.parameterOids(),
                                caller.ofTrino(),
                                cancellation);
        List<ParameterTypes.Type> parameters = new ParameterTypes(oids).all();
        PreparedStatement resolved = prepared.with(kind.withParameters(oids));
        return new SqlStatement(
                resolved,
                kind.returnsRows()
                        ? ResultSchema.of(
                                gateway.describe(kind.statement(), caller.ofTrino(), cancellation))
                        : ResultSchema.EMPTY,
                parameters,
                parameters.stream().map(type -> ArrowTypes.of(type.type())).toList());
    }

    private static String shown(String sql) {
        return sql.length() <= 100 ? sql : sql.substring(0, 100) + "...";
    }

    private SqlStatement onRows(PreparedStatement prepared, PreparedStatement.OnRows rows) {
        return new SqlStatement(
                prepared,
                ResultSchema.of(rows.plan(), catalog),
                rows.plan().parameters(),
                ParameterColumns.of(rows.statement(), rows.plan()));
    }

    /**
     * The statement with a plan for the columns that its table has now.
     *
     * @throws PostgresException FEATURE_NOT_SUPPORTED if its client has received other columns
     */
    SqlStatement current(SqlStatement statement) {
        PreparedStatement.OnRows rows = (PreparedStatement.OnRows) statement.prepared().kind();
        return executor.isCurrent(rows.plan()) ? statement : replanned(statement);
    }

    /** As {@link #current}, of a plan that is known to be old. */
    SqlStatement replanned(SqlStatement statement) {
        PreparedStatement prepared = statement.prepared();
        PreparedStatement.OnRows old = (PreparedStatement.OnRows) prepared.kind();
        PreparedStatement replanned = preparer.replan(prepared, old.searchPath());
        SqlStatement planned = onRows(replanned, (PreparedStatement.OnRows) replanned.kind());
        if (!planned.results().fields().equals(statement.results().fields())) {
            throw PreparedStatement.otherColumns(": the table was altered");
        }
        return planned;
    }
}
