package io.stele.sidecar.postgresql.session;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.copy.CopyOptions;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.run.RowTransaction;
import io.stele.sidecar.postgresql.run.StagedInsert;
import io.stele.sidecar.postgresql.sql.Expression;
import io.stele.sidecar.postgresql.sql.Statement;
import io.stele.sidecar.postgresql.sql.Statement.TableName;
import io.stele.sidecar.postgresql.wire.Message;
import io.stele.sidecar.postgresql.wire.MessageReader;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.Replies;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The execution of COPY FROM STDIN on a session: all rows become visible at once, or none. After a
 * failure, the rest of the client's data is read and dropped, because the client sends it until it
 * sees the error. Confined to one thread, which waits for the client and the engine.
 */
final class CopyProtocol {
    private final PlanExecutor executor;
    private final StatementPreparer preparer;
    private final Client client;
    private final MessageReader in;
    private final Replies replies;
    private final int maxMessageBytes;

    CopyProtocol(
            PlanExecutor executor,
            StatementPreparer preparer,
            Client client,
            MessageReader in,
            Replies replies,
            int maxMessageBytes) {
        this.executor = requireNonNull(executor, "executor is null");
        this.preparer = requireNonNull(preparer, "preparer is null");
        this.client = requireNonNull(client, "client is null");
        this.in = requireNonNull(in, "in is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.maxMessageBytes = maxMessageBytes;
    }

    /**
     * Receives the rows; returns their number.
     *
     * @param block the transaction of the block that the client is in
     */
    long receive(
            Command.CopyIn copy,
            List<String> searchPath,
            Scope.Session session,
            Optional<RowTransaction> block)
            throws IOException {
        InsertPlan plan = plan(copy, searchPath);
        executor.checkAccess(plan, client); // before the client sends its rows
        boolean isBinary = copy.options().format() == CopyOptions.Format.BINARY;
        replies.copyResponse('G', isBinary, plan.parameters().size());
        replies.out().flush();
        if (block.isPresent()) {
            RowTransaction transaction = block.get();
            return receive(
                    copy,
                    plan,
                    session,
                    rows -> executor.copy(plan, rows, session, transaction, client),
                    () -> {});
        }
        try (StagedInsert own = executor.beginInsert(plan.table(), client)) {
            long count =
                    receive(copy, plan, session, rows -> own.add(plan, rows, session), own::close);
            own.commit();
            return count;
        }
    }

    private InsertPlan plan(Command.CopyIn copy, List<String> searchPath) {
        preparer.checkSees(copy.table(), searchPath, client.user());
        List<String> columns = copy.columns();
        if (columns.isEmpty()) {
            columns = preparer.columnsOf(copy.table(), searchPath);
        }
        List<Expression> values = new ArrayList<>();
        for (int i = 1; i <= columns.size(); i++) {
            values.add(new Expression.Parameter(i));
        }
        TableName table = copy.table();
        Statement insert =
                new Statement.Insert(
                        table, columns, List.of(values), new Statement.Fail(), List.of());
        return (InsertPlan) preparer.plan(insert, List.of(), searchPath);
    }

    /**
     * @param whenFailed runs at the first failure, before the rest of the rows comes
     */
    private long receive(
            Command.CopyIn copy,
            InsertPlan plan,
            Scope.Session session,
            CopyIn.Target target,
            Runnable whenFailed)
            throws IOException {
        CopyIn rows = new CopyIn(target, plan, copy.options(), session, client);
        @Nullable RuntimeException failure = null;
        while (true) {
            Message message = in.read(maxMessageBytes);
            if (message == null) {
                throw new EOFException("The client left during COPY");
            }
            switch (message.type()) {
                case 'd' -> {
                    if (failure == null) {
                        try {
                            rows.add(message.getBytes(message.remaining()));
                        } catch (RuntimeException e) {
                            failure = e;
                            whenFailed.run();
                        }
                    }
                }
                case 'c' -> {
                    if (failure != null) {
                        throw failure;
                    }
                    return rows.end();
                }
                case 'f' -> {
                    throw failure == null ? CopyIn.givenUp(message.getText()) : failure;
                }
                case 'H', 'S' -> {} // of clients that pipeline: COPY goes on
                default ->
                        throw new PostgresException(
                                SqlState.PROTOCOL_VIOLATION,
                                "Expected rows of COPY or their end, found a message of type '%s'"
                                        .formatted(message.type()));
            }
        }
    }
}
