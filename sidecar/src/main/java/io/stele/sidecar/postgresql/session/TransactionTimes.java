package io.stele.sidecar.postgresql.session;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.sql.CurrentTimes;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;

/**
 * The start of one PostgreSQL session's transaction, and the arrival of its last message. A
 * transaction starts with the message that follows the end of the one before, also outside of a
 * transaction block: messages up to Sync, and the statements of one Query, are one. Confined to one
 * thread at a time.
 */
final class TransactionTimes {
    private final InstantSource clock;
    private Instant transaction;
    private Instant message;
    private boolean hasStarted;

    TransactionTimes(InstantSource clock) {
        this.clock = requireNonNull(clock, "clock is null");
        this.message = clock.instant();
        this.transaction = message;
    }

    /** Records the arrival of a message with a statement, or with a part of one. */
    void messageArrived() {
        message = clock.instant();
        start();
    }

    private void start() {
        if (!hasStarted) {
            hasStarted = true;
            transaction = message;
        }
    }

    /** Ends the transaction. */
    void end() {
        hasStarted = false;
    }

    /** The times for a statement of the present transaction. */
    CurrentTimes current(ZoneId zone) {
        start();
        return new CurrentTimes(transaction, message, clock, zone);
    }
}
