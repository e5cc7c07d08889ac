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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a PostgreSQL client's transaction block, from BEGIN to COMMIT or ROLLBACK, which
 * opens a {@link RowTransaction} at its first statement on rows. Confined to one thread at a time.
 */
final class TransactionBlock implements AutoCloseable {
    /** Drivers make one of the same name for each statement, and may release none. */
    private static final int MAX_SAVEPOINTS = 1_000;

    private final PlanExecutor executor;
    private final Client client;
    private final TransactionTimes times;
    private boolean isOpen;
    private boolean hasFailed;
    private boolean isImplicit; // made for statements that were sent together
    private boolean isReadOnly;
    private @Nullable RowTransaction transaction;
    private final List<Savepoint> savepoints = new ArrayList<>(); // oldest first

    /**
     * A savepoint of the block.
     *
     * @param changes of the transaction before it; 0 if that was not open
     * @param settings of the session
     */
    private record Savepoint(
            String name, long changes, boolean isReadOnly, SavedSettings settings) {}

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
            if (savepoints.isEmpty()) {
                end();
            }
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
                    "Expected ROLLBACK, or ROLLBACK TO a savepoint, as a statement of the"
                            + " transaction has failed, found another");
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
            if (!savepoints.isEmpty()) {
                known.keepUndo();
            }
            transaction = known;
        } else {
            known.renew();
        }
        return Optional.of(known);
    }

    /** Begins a part of the block that can be undone by itself. */
    void savepoint(String name, SavedSettings settings) {
        if (!isOpen || isImplicit) {
            throw new PostgresException(
                    SqlState.NO_ACTIVE_TRANSACTION,
                    "Expected SAVEPOINT in a transaction block, found it outside one");
        }
        if (savepoints.size() >= MAX_SAVEPOINTS && !forgetShadowed()) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected at most %s savepoints in a transaction, found one more"
                            .formatted(MAX_SAVEPOINTS));
        }
        RowTransaction open = transaction;
        long changes = 0;
        if (open != null) {
            open.keepUndo();
            changes = open.changeCount();
        }
        savepoints.add(new Savepoint(name, changes, isReadOnly, settings));
    }

    /** Forgets the oldest savepoint whose name a later one has, if there is one. */
    private boolean forgetShadowed() {
        Set<String> later = new HashSet<>();
        int shadowed = -1;
        for (int i = savepoints.size() - 1; i >= 0; i--) {
            if (!later.add(savepoints.get(i).name())) {
                shadowed = i;
            }
        }
        if (shadowed >= 0) {
            savepoints.remove(shadowed);
        }
        return shadowed >= 0;
    }

    /** Forgets a savepoint and those after it. */
    void release(String name) {
        int position = find(name);
        savepoints.subList(position, savepoints.size()).clear();
        RowTransaction open = transaction;
        if (open != null && savepoints.isEmpty()) {
            open.forgetUndo();
        }
    }

    /** Undoes what came after a savepoint, also if that has failed; returns the settings at it. */
    SavedSettings rollbackTo(String name) {
        int position = find(name);
        savepoints.subList(position + 1, savepoints.size()).clear();
        Savepoint savepoint = savepoints.get(position);
        RowTransaction open = transaction;
        if (open != null) {
            open.undoTo(savepoint.changes());
        }
        hasFailed = false;
        isReadOnly = savepoint.isReadOnly();
        return savepoint.settings();
    }

    private int find(String name) {
        if (!isOpen || isImplicit) {
            throw new PostgresException(
                    SqlState.NO_ACTIVE_TRANSACTION,
                    "Expected a savepoint in a transaction block, found none open");
        }
        for (int i = savepoints.size() - 1; i >= 0; i--) {
            if (savepoints.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new PostgresException(
                SqlState.INVALID_SAVEPOINT,
                "Expected a savepoint of the transaction, found none of the name '%s'"
                        .formatted(name));
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
        savepoints.clear();
        times.end();
        end();
    }
}
