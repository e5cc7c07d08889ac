package io.stele.sidecar.postgresql.session;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.run.RowTransaction;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a PostgreSQL client's transaction block, from BEGIN to COMMIT or ROLLBACK, which
 * opens a {@link RowTransaction} at its first statement on rows. Confined to one thread at a time.
 */
final class TransactionBlock implements AutoCloseable {
    private final PlanExecutor executor;
    private final Client client;
    private final TransactionTimes times;
    private boolean isOpen;
    private boolean hasFailed;
    private boolean isImplicit; // made for statements that were sent together
    private boolean isReadOnly;
    private @Nullable RowTransaction transaction;

    TransactionBlock(PlanExecutor executor, Client client, InstantSource clock) {
        this.executor = requireNonNull(executor, "executor is null");
        this.client = requireNonNull(client, "client is null");
        this.times = new TransactionTimes(clock);
    }

    /** The letter of ReadyForQuery. */
    char status() {
        if (!isOpen) {
            return 'I';
        }
        return hasFailed ? 'E' : 'T';
    }

    boolean isOpen() {
        return isOpen;
    }

    boolean hasFailed() {
        return hasFailed;
    }

    boolean isImplicit() {
        return isOpen && isImplicit;
    }

    void begin(boolean readOnly) {
        isOpen = true;
        isImplicit = false; // BEGIN makes it explicit
        hasFailed = false;
        isReadOnly = readOnly;
    }

    /** Begins a block that ends with the statements that were sent together. */
    void beginImplicit() {
        if (!isOpen) {
            begin(false);
            isImplicit = true;
        }
    }

    void setReadOnly(boolean readOnly) {
        isReadOnly = isOpen && readOnly;
    }

    /**
     * @throws PostgresException READ_ONLY_TRANSACTION
     */
    void checkWritable() {
        if (isReadOnly) {
            throw new PostgresException(
                    SqlState.READ_ONLY_TRANSACTION,
                    "Expected a statement that reads, as the transaction is READ ONLY, found one"
                            + " that writes");
        }
    }

    /**
     * Refuses a statement that Trino would run outside the block, if it changes something, or if it
     * would miss changes of the block.
     */
    void checkTrinoMay(boolean change) {
        if (change) {
            checkWritable();
        }
        if (change && isOpen && !isImplicit) {
            throw new PostgresException(
                    SqlState.ACTIVE_TRANSACTION,
                    "Expected a statement that Trino runs and that changes something outside a"
                            + " transaction block, found it inside one");
        }
        RowTransaction open = transaction;
        if (open != null) {
            open.requireNoChanges();
        }
    }

    /** Records the arrival of a message with a statement, or with a part of one. */
    void messageArrived() {
        times.messageArrived();
    }

    /** Ends the transaction of statements that were sent together, unless a block is open. */
    void messagesEnded() {
        if (!isOpen) {
            times.end();
        }
    }

    /** The current times for a statement. */
    CurrentTimes times(ZoneId zone) {
        return times.current(zone);
    }

    /**
     * Marks the block as failed after a failed statement, so that its further statements are
     * refused; rolls an implicit block back.
     */
    void fail() {
        if (isImplicit()) {
            close();
        } else if (isOpen) {
            hasFailed = true;
            end();
        } else {
            times.end();
        }
    }

    /**
     * @throws PostgresException FAILED_TRANSACTION
     */
    void checkUsable() {
        if (hasFailed) {
            throw new PostgresException(
                    SqlState.FAILED_TRANSACTION,
                    "Expected ROLLBACK, as a statement of the transaction has failed, found"
                            + " another");
        }
    }

    /** The transaction in which statements run, opened at the first call; empty outside a block. */
    Optional<RowTransaction> transaction() {
        if (!isOpen) {
            return Optional.empty();
        }
        RowTransaction known = transaction;
        if (known == null) {
            known = executor.begin(client);
            transaction = known;
        } else {
            known.renew();
        }
        return Optional.of(known);
    }

    /** Commits and ends the block; false if it had failed, so that it writes nothing. */
    boolean commit() {
        boolean commits = !hasFailed;
        try {
            RowTransaction open = transaction;
            if (commits && open != null) {
                open.commit();
            }
        } finally {
            close();
        }
        return commits;
    }

    void rollback() {
        close();
    }

    private void end() {
        RowTransaction open = transaction;
        transaction = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() {
        isOpen = false;
        isImplicit = false;
        isReadOnly = false;
        hasFailed = false;
        times.end();
        end();
    }
}
