package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A Flight SQL statement whose client has a ticket for its rows. It runs once, when they are
 * requested. Thread-safe.
 */
final class SqlQuery implements Handles.Held {
    private enum State {
        WAITING,
        RUNNING,
        ENDED
    }

    private final SqlStatement statement;
    private final List<@Nullable Object> parameters;
    private final Optional<SqlTransaction> transaction;
    private final Cancellation cancellation;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /**
     * @param parameters of the classes of the statement's parameters
     */
    SqlQuery(
            SqlStatement statement,
            List<@Nullable Object> parameters,
            Optional<SqlTransaction> transaction,
            Cancellation cancellation) {
        this.statement = requireNonNull(statement, "statement is null");
        this.parameters = requireNonNull(parameters, "parameters is null");
        this.transaction = requireNonNull(transaction, "transaction is null");
        this.cancellation = requireNonNull(cancellation, "cancellation is null");
    }

    SqlStatement statement() {
        return statement;
    }

    List<@Nullable Object> parameters() {
        return parameters;
    }

    Optional<SqlTransaction> transaction() {
        return transaction;
    }

    Cancellation cancellation() {
        return cancellation;
    }

    /**
     * Begins to run.
     *
     * @throws PostgresException INVALID_CURSOR_NAME if it has run already
     */
    void start() {
        if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
            throw new PostgresException(
                    SqlState.INVALID_CURSOR_NAME,
                    "Expected a ticket that is used for the first time, found one whose statement"
                            + " has run");
        }
    }

    /** Cancels it; false if it had not begun, and never will. */
    boolean cancel() {
        cancellation.request();
        return !state.compareAndSet(State.WAITING, State.ENDED);
    }

    @Override
    public boolean isInUse() {
        return state.get() == State.RUNNING;
    }

    @Override
    public void close() {
        state.set(State.ENDED);
    }
}
