package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.run.RowTransaction;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of a Flight SQL client, from BeginTransaction to EndTransaction. Its first
 * statement opens its snapshot. After a failed change, only a rollback is possible; a failed query
 * has no effect on it.
 *
 * <p>Thread-safe: requests come on any thread, and each takes the one permit while it works with
 * the transaction. What the permit guards is confined to its holder.
 */
final class SqlTransaction implements Handles.Held {
    /** A client may send the next statement before it has read the end of a result. */
    private static final long WAIT_SECONDS = 10;

    private final PlanExecutor executor;
    private final Instant begun;
    private final Semaphore permit = new Semaphore(1);
    private @Nullable RowTransaction transaction;
    private volatile boolean hasFailed;
    private boolean hasEnded;
    private volatile boolean isClosing;

    SqlTransaction(PlanExecutor executor, Instant begun) {
        this.executor = requireNonNull(executor, "executor is null");
        this.begun = requireNonNull(begun, "begun is null");
    }

    /** The current times, in UTC, for a statement that begins now. */
    static CurrentTimes times(Optional<SqlTransaction> transaction, InstantSource clock) {
        Instant now = clock.instant();
        return new CurrentTimes(
                transaction.map(found -> found.begun).orElse(now), now, clock, ZoneOffset.UTC);
    }

    /** Records that a change was aborted halfway. */
    void fail() {
        hasFailed = true;
    }

    /** The work of one request with the transaction. */
    final class Use implements AutoCloseable {
        private final RowTransaction rows;

        private Use(RowTransaction rows) {
            this.rows = rows;
        }

        RowTransaction rows() {
            return rows;
        }

        /** Records that a change failed, perhaps halfway. */
        void fail() {
            hasFailed = true;
        }

        @Override
        public void close() {
            permit.release();
            if (isClosing) {
                endIfFree();
            }
        }
    }

    /**
     * Begins to work with the transaction.
     *
     * @throws PostgresException FAILED_TRANSACTION; OBJECT_NOT_IN_PREREQUISITE_STATE if another
     *     request works with it for long
     */
    Use enter(Client client) {
        acquire();
        boolean isEntered = false;
        try {
            if (hasEnded || isClosing) {
                throw ended();
            }
            if (hasFailed) {
                throw failed("a statement");
            }
            RowTransaction rows = transaction;
            if (rows == null) {
                rows = executor.begin(client);
                transaction = rows;
            } else {
                rows.renew();
            }
            isEntered = true;
            return new Use(rows);
        } finally {
            if (!isEntered) {
                permit.release();
            }
        }
    }

    private void acquire() {
        try {
            if (permit.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down", e);
        }
        throw new PostgresException(
                SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "Expected one statement of a transaction at a time, found one whose result is not"
                        + " read to its end");
    }

    private static PostgresException ended() {
        return new PostgresException(
                SqlState.NO_ACTIVE_TRANSACTION,
                "Expected a transaction that is open, found one that has ended");
    }

    private static PostgresException failed(String found) {
        return new PostgresException(
                SqlState.FAILED_TRANSACTION,
                "Expected ROLLBACK, as a statement of the transaction has failed, found " + found);
    }

    /**
     * Writes all changes, or none.
     *
     * @throws PostgresException FAILED_TRANSACTION
     * @throws SteleException TRANSACTION_CONFLICT, or another failure of a commit
     */
    void commit() {
        acquire();
        try {
            if (hasEnded || isClosing) {
                throw ended();
            }
            if (hasFailed) {
                throw failed("COMMIT");
            }
            RowTransaction open = transaction;
            if (open != null) {
                open.commit();
            }
        } finally {
            end();
            permit.release();
        }
    }

    private void end() {
        hasEnded = true;
        RowTransaction open = transaction;
        transaction = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public boolean isInUse() {
        return permit.availablePermits() == 0;
    }

    /** Rolls back, as soon as nothing works with the transaction; does not wait for that. */
    @Override
    public void close() {
        isClosing = true;
        endIfFree();
    }

    private void endIfFree() {
        if (permit.tryAcquire()) {
            try {
                end();
            } finally {
                permit.release();
            }
        }
    }
}
