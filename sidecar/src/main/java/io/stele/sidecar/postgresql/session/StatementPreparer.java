package io.stele.sidecar.postgresql.session;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stele.engine.catalog.Catalog;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.AccessDeniedException;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.postgresql.catalog.CatalogQueries;
import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.plan.Planner;
import io.stele.sidecar.postgresql.sql.Expression;
import io.stele.sidecar.postgresql.sql.NoFixedPlanException;
import io.stele.sidecar.postgresql.sql.SqlParser;
import io.stele.sidecar.postgresql.sql.Statement;
import io.stele.sidecar.postgresql.sql.StatementSplitter;
import io.stele.sidecar.postgresql.trino.NumberedParameters;
import io.stele.sidecar.postgresql.trino.PostgresSyntax;
import io.stele.sidecar.postgresql.trino.TranslatedStatement;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The parser and planner of PostgreSQL and Flight SQL statements, which also decides who runs a
 * statement. It caches parsed trees by text for all clients, because many clients send the same few
 * texts. Thread-safe.
 */
public final class StatementPreparer {
    private static final long MAX_CACHED_CHARACTERS = 4 << 20;
    private static final int MAX_CACHED_LENGTH = 64 << 10;

    private final Supplier<Catalog> catalog;
    private final AccessControl access;
    private final ToLongFunction<TableSchema> rowCounts;
    private final CatalogQueries catalogQueries;
    private final boolean hasTrino;
    private final Cache<String, Statement> parsed =
            Caffeine.newBuilder()
                    .maximumWeight(MAX_CACHED_CHARACTERS)
                    .<String, Statement>weigher((sql, statement) -> sql.length() + 100)
                    .build();

    /**
     * @param hasTrino whether Trino runs statements without a fixed plan
     */
    public StatementPreparer(
            Supplier<Catalog> catalog,
            AccessControl access,
            ToLongFunction<TableSchema> rowCounts,
            CatalogQueries catalogQueries,
            boolean hasTrino) {
        this.hasTrino = hasTrino;
        this.rowCounts = requireNonNull(rowCounts, "rowCounts is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.access = requireNonNull(access, "access is null");
        this.catalogQueries = requireNonNull(catalogQueries, "catalogQueries is null");
    }

    public CatalogQueries catalogQueries() {
        return catalogQueries;
    }

    /**
     * Prepares one statement. A statement on rows for which the user lacks privileges is refused
     * already here, so that preparing reveals no columns of a table; privileges are checked again
     * at each run.
     *
     * @throws AccessDeniedException if the user lacks a privilege
     * @throws PostgresException also if the statement has no fixed plan and there is no Trino:
     *     FEATURE_NOT_SUPPORTED, with what would make it one
     */
    public PreparedStatement prepare(
            String text,
            List<Integer> parameterOids,
            List<String> searchPath,
            AuthenticatedUser user) {
        List<String> statements = StatementSplitter.split(text);
        if (statements.size() > 1) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR,
                    "Expected one statement in a prepared statement, found " + statements.size());
        }
        if (statements.isEmpty()) {
            return new PreparedStatement("", parameterOids, new PreparedStatement.Empty());
        }
        String sql = statements.get(0);
        if (hasTrino && TrinoStatements.isShow(sql)) {
            return onTrino(sql, parameterOids);
        }
        Optional<Command> command = CommandParser.parse(sql);
        if (command.isPresent()) {
            return new PreparedStatement(
                    sql, parameterOids, new PreparedStatement.OnSession(command.get()));
        }
        if (catalogQueries.concerns(sql, user)) {
            List<Integer> types = catalogQueries.parameterTypes(sql, parameterOids, user);
            return new PreparedStatement(
                    sql, parameterOids, new PreparedStatement.OnCatalog(types));
        }
        return onRowsOr(
                sql,
                parameterOids,
                () -> {
                    Statement statement = parse(sql);
                    checkSees(statement.table(), searchPath, user);
                    FixedPlan plan = plan(statement, parameterOids, searchPath);
                    checkAccess(plan, user);
                    return new PreparedStatement(
                            sql,
                            parameterOids,
                            new PreparedStatement.OnRows(statement, plan, searchPath));
                });
    }

    /** Checks access before planning, because failures of planning reveal columns. */
    void checkSees(Statement.TableName name, List<String> searchPath, AuthenticatedUser user) {
        if (access.isRestricted(user)) {
            TableSchema table = Planner.findTable(name, catalog.get(), searchPath);
            access.checkSees(user, table.schemaName(), table.tableName());
        }
    }

    private void checkAccess(FixedPlan plan, AuthenticatedUser user) {
        access.check(user, plan.table().schemaName(), plan.table().tableName(), plan.privileges());
    }

    /** A statement with a fixed plan, or else one that Trino runs. */
    private PreparedStatement onRowsOr(
            String trinoSql, List<Integer> parameterOids, Supplier<PreparedStatement> onRows) {
        try {
            return onRows.get();
        } catch (NoFixedPlanException needsOptimizer) {
            if (hasTrino) {
                return onTrino(trinoSql, parameterOids);
            }
            throw refused(needsOptimizer);
        } catch (PostgresException unknown) {
            if (hasTrino && TrinoStatements.mayKnow(unknown.state())) {
                return onTrino(trinoSql, parameterOids);
            }
            throw unknown;
        }
    }

    private static PostgresException refused(NoFixedPlanException needsOptimizer) {
        return new PostgresException(
                SqlState.FEATURE_NOT_SUPPORTED,
                needsOptimizer.getMessage(),
                Optional.of(
                        "Statements by key run here. stele.postgresql.trino-uri hands others to"
                                + " Trino."));
    }

    private static PreparedStatement onTrino(String sql, List<Integer> parameterOids) {
        TranslatedStatement translated = PostgresSyntax.translate(sql);
        NumberedParameters statement = NumberedParameters.of(translated.sql());
        List<Integer> oids = new ArrayList<>(parameterOids);
        while (oids.size() < statement.count()) {
            oids.add(0);
        }
        translated
                .casts()
                .forEach(
                        (number, type) -> {
                            boolean isSaid = oids.get(number - 1) != 0;
                            if (!isSaid || isWrittenByType(type)) {
                                oids.set(number - 1, type.oid());
                            }
                        });
        return new PreparedStatement(
                sql,
                parameterOids,
                new PreparedStatement.OnTrino(
                        statement,
                        oids,
                        TrinoStatements.returnsRows(sql),
                        TrinoStatements.mayChange(sql),
                        Optional.empty()));
    }

    /** Whether the translated statement has no cast to a type. */
    private static boolean isWrittenByType(PostgresType type) {
        return type == PostgresType.JSON
                || type == PostgresType.JSONB
                || type == PostgresType.BYTEA;
    }

    private Statement parse(String sql) {
        Statement known = parsed.getIfPresent(sql);
        if (known != null) {
            return known;
        }
        Statement statement = SqlParser.parse(sql);
        if (sql.length() <= MAX_CACHED_LENGTH) {
            parsed.put(sql, statement);
        }
        return statement;
    }

    /**
     * Prepares a statement for all rows of a table of any size.
     *
     * @param columns empty: all
     */
    PreparedStatement prepareAll(
            Statement.TableName table,
            List<String> columns,
            List<String> searchPath,
            AuthenticatedUser user) {
        List<Statement.Output> outputs = new ArrayList<>();
        for (String column : columns) {
            outputs.add(
                    new Statement.Named(
                            new Expression.Column(Optional.empty(), column), Optional.empty()));
        }
        if (columns.isEmpty()) {
            outputs.add(new Statement.Star());
        }
        // With a limit, the plan is an unordered scan, which holds no rows in memory
        Statement all =
                new Statement.Select(
                        table,
                        outputs,
                        Optional.empty(),
                        List.of(),
                        Optional.of(new Expression.Literal(PostgresType.INT8, Long.MAX_VALUE)),
                        Optional.empty());
        return onRowsOr(
                TrinoStatements.selectAll(table, columns),
                List.of(),
                () -> {
                    checkSees(table, searchPath, user);
                    FixedPlan plan = plan(all, List.of(), searchPath);
                    checkAccess(plan, user);
                    return new PreparedStatement(
                            "", List.of(), new PreparedStatement.OnRows(all, plan, searchPath));
                });
    }

    /**
     * Plans a statement on rows again, for the present columns of its table.
     *
     * @throws PostgresException FEATURE_NOT_SUPPORTED if other columns were described to its
     *     client, or if it has no fixed plan any more
     */
    public PreparedStatement replan(PreparedStatement statement, List<String> searchPath) {
        PreparedStatement.OnRows rows = (PreparedStatement.OnRows) statement.kind();
        FixedPlan plan;
        try {
            plan = plan(rows.statement(), statement.parameterOids(), searchPath);
        } catch (NoFixedPlanException hasGrown) {
            throw refused(hasGrown);
        }
        boolean isSame =
                shapes(plan.results()).equals(shapes(rows.plan().results()))
                        && plan.parameters().equals(rows.plan().parameters());
        if (!isSame) {
            throw PreparedStatement.otherColumns(": the table was altered");
        }
        return statement.withPlan(rows.statement(), plan, searchPath);
    }

    private static List<String> shapes(List<FixedPlan.ResultColumn> columns) {
        return columns.stream().map(column -> column.name() + " " + column.type()).toList();
    }

    /** The names of the columns of a table, in their order. */
    List<String> columnsOf(Statement.TableName table, List<String> searchPath) {
        Statement all =
                new Statement.Select(
                        table,
                        List.of(new Statement.Star()),
                        Optional.empty(),
                        List.of(),
                        Optional.of(new Expression.Literal(PostgresType.INT4, 0)),
                        Optional.empty());
        return plan(all, List.of(), searchPath).results().stream()
                .map(FixedPlan.ResultColumn::name)
                .toList();
    }

    /** Plans a statement for the present columns of its table. */
    public FixedPlan plan(
            Statement statement, List<Integer> parameterOids, List<String> searchPath) {
        return Planner.plan(statement, catalog.get(), parameterOids, searchPath, rowCounts);
    }
}
