package io.stele.sidecar.postgresql.session;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.catalog.CatalogResult;
import io.stele.sidecar.postgresql.catalog.CatalogSession;
import io.stele.sidecar.postgresql.copy.CopyOptions;
import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.ResultColumn;
import io.stele.sidecar.postgresql.plan.FixedPlan.SelectPlan;
import io.stele.sidecar.postgresql.plan.ParameterTypes;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.run.Changes;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.run.MessageRows;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.run.PlanRows;
import io.stele.sidecar.postgresql.run.ResultRows;
import io.stele.sidecar.postgresql.run.StalePlanException;
import io.stele.sidecar.postgresql.session.PreparedStatement.OnRows;
import io.stele.sidecar.postgresql.sql.StatementSplitter;
import io.stele.sidecar.postgresql.trino.TrinoGateway;
import io.stele.sidecar.postgresql.trino.TrinoRows;
import io.stele.sidecar.postgresql.wire.MessageReader;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.Replies;
import io.stele.sidecar.postgresql.wire.SqlState;
import io.stele.sidecar.statement.StatementRunner;
import io.stele.sidecar.statement.StatementStatistics;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The execution of one PostgreSQL client's messages: its prepared statements, portals, settings and
 * transaction block. Each statement is run by the session, a fixed plan or Trino, in the calling
 * thread. Confined to the thread of its connection.
 *
 * @see <a href="https://www.postgresql.org/docs/15/protocol-flow.html">PostgreSQL 15, Message
 *     Flow</a>
 */
public final class Session implements AutoCloseable {
    private static final int MAX_REPLANS = 3;

    private final String user;
    private final int processId;
    private final PlanExecutor executor;
    private final StatementPreparer preparer;
    private final Settings settings;
    private final StatementStatistics statistics;
    private final LongSupplier nanoTime;
    private final Client client;
    private final Replies replies;
    private final TransactionBlock block;
    private final SessionCommands commands;
    private final TrinoExecution trino;
    private final PreparedStatements statements = new PreparedStatements();
    private final Portals portals = new Portals();

    /**
     * @param processId of the client's cancel key
     * @param gateway empty: statements without a fixed plan are refused
     */
    public Session(
            int processId,
            PlanExecutor executor,
            StatementPreparer preparer,
            Optional<TrinoGateway> gateway,
            Settings settings,
            StatementStatistics statistics,
            Client client,
            MessageReader in,
            Replies replies,
            InstantSource clock,
            LongSupplier nanoTime,
            int maxMessageBytes) {
        this.user = client.user().name();
        this.processId = processId;
        this.executor = requireNonNull(executor, "executor is null");
        this.preparer = requireNonNull(preparer, "preparer is null");
        this.settings = requireNonNull(settings, "settings is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.client = requireNonNull(client, "client is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.trino = new TrinoExecution(gateway, user, settings, client);
        this.block = new TransactionBlock(executor, client, clock);
        this.commands =
                new SessionCommands(
                        settings,
                        block,
                        replies,
                        new CopyProtocol(executor, preparer, client, in, replies, maxMessageBytes));
    }

    /** The letter of ReadyForQuery. */
    public char transactionStatus() {
        return block.status();
    }

    /**
     * Called when a statement fails: closes the portals, and marks an open transaction block as
     * failed.
     */
    public void fail() {
        portals.closeAll();
        block.fail();
    }

    /** Runs the statements of a Query message in order; several statements are one transaction. */
    public void query(String sql) throws IOException {
        block.messageArrived();
        closeUnnamedPortal();
        List<String> texts = StatementSplitter.split(sql);
        if (texts.isEmpty()) {
            replies.empty('I');
            block.messagesEnded();
            return;
        }
        for (String text : texts) {
            PreparedStatement statement = prepare(text, List.of());
            checkAlone(statement, texts.size() == 1);
            if (texts.size() > 1 && isOnRows(statement)) {
                block.beginImplicit();
            }
            try (Portal portal = portal(statement, List.of(), List.of())) {
                client.cancellation().begin(settings.statementTimeoutMillis());
                checkBlock(statement);
                describe(portal, false);
                run(portal, 0);
            }
        }
        endImplicit();
    }

    /**
     * Refuses a change by Trino among several statements, which are one transaction without Trino.
     */
    private static void checkAlone(PreparedStatement statement, boolean isAlone) {
        if (!isAlone
                && statement.kind() instanceof PreparedStatement.OnTrino
                && TrinoStatements.changesRows(statement.sql())) {
            throw new PostgresException(
                    SqlState.ACTIVE_TRANSACTION,
                    "Expected a statement that Trino runs and that changes rows by itself, found it"
                            + " together with others, which would be one transaction");
        }
    }

    private static boolean isOnRows(PreparedStatement statement) {
        return statement.kind() instanceof OnRows
                || (statement.kind() instanceof PreparedStatement.OnSession session
                        && isCopy(session.command()));
    }

    private static boolean isCopy(Command command) {
        return command instanceof Command.CopyIn
                || command instanceof Command.CopyOut
                || command instanceof Command.CopyTableOut;
    }

    private void endImplicit() {
        if (block.isImplicit()) {
            boolean unused = block.commit();
        }
        block.messagesEnded();
    }

    private PreparedStatement prepare(String sql, List<Integer> parameterOids) {
        return trino.resolve(
                preparer.prepare(sql, parameterOids, settings.searchPath(), client.user()));
    }

    private void closeUnnamedPortal() {
        portals.close("");
        if (!block.isOpen()) {
            portals.closeAll();
        }
    }

    private void checkBlock(PreparedStatement statement) {
        boolean endsFailure =
                statement.kind() instanceof PreparedStatement.OnSession session
                        && (session.command() instanceof Command.Commit
                                || session.command() instanceof Command.Rollback
                                || session.command() instanceof Command.RollbackTo);
        if (!endsFailure) {
            block.checkUsable();
        }
    }

    /** Handles a Parse message. */
    public void parse(String name, String sql, List<Integer> parameterOids) throws IOException {
        block.messageArrived();
        statements.reserve(name, sql);
        PreparedStatement statement = prepare(sql, parameterOids);
        checkBlock(statement);
        statements.put(name, statement);
        replies.empty('1');
    }

    /**
     * Handles a Bind message.
     *
     * @param values of the parameters; empty: NULL
     */
    public void bind(
            String portalName,
            String statementName,
            List<Integer> parameterFormats,
            List<Optional<byte[]>> values,
            List<Integer> resultFormats)
            throws IOException {
        block.messageArrived();
        PreparedStatement statement = statements.get(statementName);
        checkBlock(statement);
        long parameterBytes = portals.reserve(portalName, values);
        List<@Nullable Object> parameters =
                switch (statement.kind()) {
                    case PreparedStatement.OnCatalog ignored ->
                            Parameters.readTexts(
                                    parameterOids(statement),
                                    parameterFormats,
                                    values,
                                    settings.zone());
                    case PreparedStatement.OnTrino ignored ->
                            Parameters.readTexts(
                                    parameterOids(statement),
                                    parameterFormats,
                                    values,
                                    settings.zone());
                    default ->
                            Parameters.read(
                                    parameterTypes(statement),
                                    parameterFormats,
                                    values,
                                    settings.zone());
                };
        int results = statement.kind() instanceof OnRows rows ? rows.plan().results().size() : -1;
        if (resultFormats.size() > 1 && results >= 0 && resultFormats.size() != results) {
            throw new PostgresException(
                    SqlState.PROTOCOL_VIOLATION,
                    "Expected %s formats of results, found %s"
                            .formatted(results, resultFormats.size()));
        }
        portals.put(portalName, portal(statement, parameters, resultFormats), parameterBytes);
        replies.empty('2');
    }

    private static List<ParameterTypes.Type> parameterTypes(PreparedStatement statement) {
        return statement.kind() instanceof OnRows rows ? rows.plan().parameters() : List.of();
    }

    private static List<Integer> parameterOids(PreparedStatement statement) {
        return switch (statement.kind()) {
            case PreparedStatement.OnCatalog catalog -> catalog.parameterOids();
            case PreparedStatement.OnTrino onTrino -> onTrino.parameterOids();
            default -> parameterTypes(statement).stream().map(ParameterTypes.Type::oid).toList();
        };
    }

    /** Handles a Describe message for a statement. */
    public void describeStatement(String name) throws IOException {
        PreparedStatement statement = statements.get(name);
        replies.parameterDescription(parameterOids(statement));
        if (statement.kind() instanceof PreparedStatement.OnTrino kind) {
            Optional<List<CatalogColumn>> columns = trino.describe(kind);
            columns.ifPresent(
                    told ->
                            statements.replace(
                                    statement, statement.with(kind.withDescribed(told))));
            describeRows(columns, List.of(), true);
        } else {
            describeRows(statement, List.of(), true);
        }
    }

    /** Handles a Describe message for a portal. */
    public void describePortal(String name) throws IOException {
        describe(portals.get(name), true);
    }

    private void describe(Portal portal, boolean saysNone) throws IOException {
        if (portal.statement().kind() instanceof PreparedStatement.OnTrino kind
                && !portal.isDone()) {
            portal.described();
            client.cancellation().begin(settings.statementTimeoutMillis());
            describeRows(trino.describe(kind, portal, block), portal.formats(), saysNone);
        } else {
            describeRows(portal.statement(), portal.formats(), saysNone);
        }
    }

    private void describeRows(
            Optional<List<CatalogColumn>> columns, List<Integer> formats, boolean saysNone)
            throws IOException {
        if (columns.isPresent()) {
            RowDescriptions.ofCatalog(columns.get(), formats, replies.out());
        } else if (saysNone) {
            replies.empty('n');
        }
    }

    private void describeRows(PreparedStatement statement, List<Integer> formats, boolean saysNone)
            throws IOException {
        switch (statement.kind()) {
            case OnRows rows when !rows.plan().results().isEmpty() ->
                    RowDescriptions.ofPlan(rows.plan().results(), formats, replies.out());
            case PreparedStatement.OnCatalog ignored ->
                    RowDescriptions.ofCatalog(
                            preparer.catalogQueries()
                                    .describe(
                                            statement.sql(),
                                            statement.parameterOids(),
                                            client.user()),
                            formats,
                            replies.out());
            case PreparedStatement.OnTrino kind ->
                    describeRows(trino.describe(kind), formats, saysNone);
            case PreparedStatement.OnSession session
                    when session.command() instanceof Command.Show show ->
                    RowDescriptions.ofCatalog(
                            List.of(SessionCommands.columnOf(show)), formats, replies.out());
            default -> {
                if (saysNone) {
                    replies.empty('n');
                }
            }
        }
    }

    /**
     * Handles an Execute message.
     *
     * @param maxRows 0: all
     * @param isAlone whether no other statement is known to follow before Sync; statements that
     *     arrive together are one transaction
     */
    public void execute(String portalName, int maxRows, boolean isAlone) throws IOException {
        block.messageArrived();
        Portal portal = portals.get(portalName);
        checkBlock(portal.statement());
        checkAlone(portal.statement(), isAlone);
        if (!isAlone && isOnRows(portal.statement())) {
            block.beginImplicit();
        }
        boolean wasBegunByDescribe = portal.isStarted() && portal.count() == 0;
        if (!wasBegunByDescribe) {
            client.cancellation().begin(settings.statementTimeoutMillis());
        }
        run(portal, maxRows);
    }

    private Portal portal(
            PreparedStatement statement, List<@Nullable Object> parameters, List<Integer> formats) {
        return new Portal(statement, parameters, formats, this::count);
    }

    /** Adds a statement that has ended to the statistics. */
    private void count(Portal portal) {
        PreparedStatement statement = portal.statement();
        Optional<StatementRunner> runner =
                switch (statement.kind()) {
                    case PreparedStatement.Empty ignored -> Optional.empty();
                    case PreparedStatement.OnSession session ->
                            isCopy(session.command())
                                    ? Optional.of(StatementRunner.COPY)
                                    : Optional.empty();
                    case PreparedStatement.OnCatalog ignored ->
                            Optional.of(StatementRunner.CATALOG);
                    case PreparedStatement.OnTrino ignored -> Optional.of(StatementRunner.TRINO);
                    case OnRows ignored -> Optional.of(StatementRunner.FIXED_PLAN);
                };
        runner.ifPresent(
                by ->
                        statistics.ended(
                                user,
                                statement.sql(),
                                by,
                                portal.nanos(),
                                portal.count(),
                                portal.isFailed()));
    }

    private void run(Portal portal, int maxRows) throws IOException {
        long start = nanoTime.getAsLong();
        boolean isDone = false;
        try {
            runOnce(portal, maxRows);
            isDone = true;
        } finally {
            portal.ran(nanoTime.getAsLong() - start);
            if (!isDone) {
                portal.failed();
            }
            if (portal.isDone() || portal.isFailed()) {
                portal.end();
            }
        }
    }

    private void runOnce(Portal portal, int maxRows) throws IOException {
        switch (portal.statement().kind()) {
            case PreparedStatement.Empty ignored -> replies.empty('I');
            case PreparedStatement.OnSession session ->
                    portal.changed(runCommand(session.command(), portal.formats()));
            case PreparedStatement.OnCatalog ignored -> {
                if (!portal.isStarted()) {
                    portal.start(0, new CatalogRows(catalogResult(portal), portal.formats()));
                }
                sendRows(portal, maxRows, "SELECT ");
            }
            case PreparedStatement.OnTrino kind -> {
                if (!kind.returnsRows()) {
                    String tag = trino.complete(kind, portal, block);
                    portal.changed(TrinoRows.changedRows(tag));
                    replies.commandComplete(tag);
                    return;
                }
                if (!portal.isDone()) {
                    QueryRows rows = trino.rows(kind, portal, block);
                    if (!portal.isDescribed()) {
                        rows.checkAsDescribed();
                    }
                }
                sendRows(portal, maxRows, "SELECT ");
            }
            case OnRows rows -> runOnRows(portal, maxRows);
        }
    }

    /** Runs a command; returns the number of rows that COPY has copied. */
    private long runCommand(Command command, List<Integer> formats) throws IOException {
        long copied = 0;
        switch (command) {
            case Command.Discard ignored -> {
                statements.clear();
                copied = commands.run(command, user, formats, this::scope);
            }
            case Command.Deallocate deallocate -> {
                if (deallocate.name().isEmpty()) {
                    statements.clear();
                } else if (!statements.remove(deallocate.name().get())) {
                    throw new PostgresException(
                            SqlState.INVALID_STATEMENT_NAME,
                            "Expected a prepared statement, found none of the name '%s'"
                                    .formatted(deallocate.name().get()));
                }
                replies.commandComplete("DEALLOCATE");
            }
            case Command.CopyOut copy ->
                    copied = copyOut(prepare(copy.query(), List.of()), copy.options());
            case Command.CopyTableOut copy ->
                    copied =
                            copyOut(
                                    preparer.prepareAll(
                                            copy.table(),
                                            copy.columns(),
                                            settings.searchPath(),
                                            client.user()),
                                    copy.options());
            default -> copied = commands.run(command, user, formats, this::scope);
        }
        if (!block.isOpen()) {
            portals.closeAll();
        }
        return copied;
    }

    /** Returns the number of rows. */
    private long copyOut(PreparedStatement statement, CopyOptions options) throws IOException {
        List<Integer> formats =
                options.format() == CopyOptions.Format.BINARY ? List.of(1) : List.of();
        try (Portal portal = portal(statement, List.of(), formats)) {
            List<String> columns = open(portal);
            long count =
                    new CopyOutput(options, replies)
                            .send(columns, requireNonNull(portal.rows(), "rows is null"));
            replies.commandComplete("COPY " + count);
            return count;
        } catch (StalePlanException stale) {
            throw stale.whileRunning();
        }
    }

    /** Starts a statement that has a result; returns the names of its columns. */
    private List<String> open(Portal portal) throws IOException {
        return switch (portal.statement().kind()) {
            case OnRows rows when !rows.plan().results().isEmpty() -> {
                start(portal);
                yield rows.plan().results().stream().map(ResultColumn::name).toList();
            }
            case PreparedStatement.OnCatalog ignored -> {
                CatalogResult result = catalogResult(portal);
                portal.start(0, new CatalogRows(result, portal.formats()));
                yield names(result.columns());
            }
            case PreparedStatement.OnTrino kind when kind.returnsRows() ->
                    names(trino.rows(kind, portal, block).query().columns());
            default ->
                    throw new PostgresException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "Expected a statement with a result in COPY (query) TO, found '%s'"
                                    .formatted(portal.statement().sql()));
        };
    }

    private static List<String> names(List<CatalogColumn> columns) {
        return columns.stream().map(CatalogColumn::name).toList();
    }

    private CatalogResult catalogResult(Portal portal) {
        return preparer.catalogQueries()
                .run(
                        portal.statement().sql(),
                        Parameters.texts(portal.parameters()),
                        parameterOids(portal.statement()),
                        new CatalogSession(
                                client.user(),
                                processId,
                                settings.all(),
                                block.times(settings.zone())));
    }

    private Scope.Session scope() {
        return new Scope.Session(user, block.times(settings.zone()), UUID::randomUUID);
    }

    private void runOnRows(Portal portal, int maxRows) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                if (!portal.isStarted()) {
                    start(portal);
                }
                sendRows(portal, maxRows, tag(((OnRows) portal.statement().kind()).plan()));
                return;
            } catch (StalePlanException stale) {
                portal.close();
                if (portal.count() > 0 || attempt == MAX_REPLANS) {
                    throw stale.whileRunning();
                }
                portal.restart();
                replan(portal);
            }
        }
    }

    private void start(Portal portal) throws IOException {
        OnRows rows = (OnRows) portal.statement().kind();
        if (!executor.isCurrent(rows.plan()) || !rows.searchPath().equals(settings.searchPath())) {
            replan(portal);
        }
        FixedPlan plan = ((OnRows) portal.statement().kind()).plan();
        Scope scope = new Scope(portal.parameters(), scope());
        if (plan instanceof SelectPlan select) {
            PlanRows found = executor.select(select, scope, block.transaction(), client);
            portal.start(0, new MessageRows(plan, found, portal.formats()));
            return;
        }
        block.checkWritable();
        Changes changes = executor.change(plan, scope, block.transaction(), client);
        portal.start(
                changes.count(),
                plan.results().isEmpty()
                        ? null
                        : new MessageRows(plan, changes.rows(), portal.formats()));
    }

    /**
     * Plans again; fails if the columns have changed, because they were described to the client.
     */
    private void replan(Portal portal) {
        PreparedStatement statement = portal.statement();
        PreparedStatement planned = preparer.replan(statement, settings.searchPath());
        statements.replace(statement, planned);
        portal.replan(planned);
    }

    private static String tag(FixedPlan plan) {
        return switch (plan) {
            case SelectPlan ignored -> "SELECT ";
            case FixedPlan.InsertPlan ignored -> "INSERT 0 ";
            case FixedPlan.UpdatePlan ignored -> "UPDATE ";
            case FixedPlan.DeletePlan ignored -> "DELETE ";
        };
    }

    private void sendRows(Portal portal, int maxRows, String tag) throws IOException {
        ResultRows rows = portal.rows();
        boolean isSelect = tag.equals("SELECT ");
        int sent = 0;
        while (rows != null && (maxRows == 0 || sent < maxRows) && rows.writeNext(replies.out())) {
            sent++;
            if (isSelect) {
                portal.sent();
            }
        }
        if (rows != null && maxRows > 0 && sent == maxRows) {
            rows.pause();
            replies.empty('s');
            return;
        }
        long count = isSelect && portal.isDone() ? 0 : portal.count();
        portal.done();
        replies.commandComplete(tag + count);
    }

    /** Handles a Close message for a statement. */
    public void closeStatement(String name) throws IOException {
        boolean unused = statements.remove(name);
        replies.empty('3');
    }

    /** Handles a Close message for a portal. */
    public void closePortal(String name) throws IOException {
        portals.close(name);
        replies.empty('3');
    }

    /**
     * Handles a Sync message: commits an implicit transaction, and closes all portals outside a
     * transaction block.
     */
    public void sync() {
        endImplicit();
        if (!block.isOpen()) {
            portals.closeAll();
        }
    }

    @Override
    public void close() {
        try {
            portals.closeAll();
        } finally {
            block.close();
        }
    }
}
