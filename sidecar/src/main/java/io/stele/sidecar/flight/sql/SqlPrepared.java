package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement of a Flight SQL client, and the parameters of its next query. Thread-safe:
 * the parameters are replaced as a whole.
 */
final class SqlPrepared implements Handles.Held {
    private final SqlStatement statement;
    private final Optional<SqlTransaction> transaction;
    private volatile List<@Nullable Object> bound = List.of();

    SqlPrepared(SqlStatement statement, Optional<SqlTransaction> transaction) {
        this.statement = requireNonNull(statement, "statement is null");
        this.transaction = requireNonNull(transaction, "transaction is null");
    }

    SqlStatement statement() {
        return statement;
    }

    /** The transaction that it runs in. */
    Optional<SqlTransaction> transaction() {
        return transaction;
    }

    List<@Nullable Object> bound() {
        return bound;
    }

    void bind(List<@Nullable Object> values) {
        bound = values;
    }

    @Override
    public boolean isInUse() {
        return false;
    }

    @Override
    public void close() {}
}
