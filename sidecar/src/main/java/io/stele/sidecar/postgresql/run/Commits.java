package io.stele.sidecar.postgresql.run;

import io.stele.engine.StorageEngine;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * The commit of a transaction that a statement has staged in the engine, which waits until its
 * outcome is known.
 */
final class Commits {
    private static final long OUTCOME_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long MAX_PAUSE_MILLIS = 1_000;

    private Commits() {}

    /**
     * Commits, and makes a staged table public with its rows; after any failure but OUTCOME_UNKNOWN
     * nothing is written, and the transaction has ended.
     *
     * @param written files of a bulk load
     * @throws SteleException TRANSACTION_CONFLICT, or another failure of a commit; OUTCOME_UNKNOWN
     *     if that could not be found out in a minute
     */
    static void commit(
            StorageEngine engine,
            String id,
            List<WrittenFile> written,
            Optional<TableId> publish,
            LongSupplier nanoTime) {
        try {
            var unused =
                    BusyRetry.call(
                            nanoTime, () -> attempt(engine, id, written, publish, nanoTime));
        } catch (SteleException failed) {
            if (failed.code() != ErrorCode.OUTCOME_UNKNOWN) {
                var unused = engine.abort(id); // one that has ended is no error
            }
            throw failed;
        }
    }

    private static String attempt(
            StorageEngine engine,
            String id,
            List<WrittenFile> written,
            Optional<TableId> publish,
            LongSupplier nanoTime) {
        CompletableFuture<Lsn> commit = engine.commitLoad(id, written, publish);
        try {
            var unused = Cancellation.outcome(commit);
            return id;
        } catch (SteleException failed) {
            // After BUSY, the transaction stays open
            if (failed.code() == ErrorCode.BUSY || failed.code().nothingIsChanged()) {
                throw failed;
            }
            return resolved(engine, id, commit, failed, nanoTime);
        }
    }

    /**
     * Repeats a request until the outcome is known, because a client that receives a failure would
     * write again.
     */
    private static String resolved(
            StorageEngine engine,
            String id,
            CompletableFuture<Lsn> commit,
            SteleException failure,
            LongSupplier nanoTime) {
        long start = nanoTime.getAsLong();
        long pauseMillis = FIRST_PAUSE_MILLIS;
        SteleException last = failure;
        while (nanoTime.getAsLong() - start < OUTCOME_NANOS) {
            try {
                // The wait may have ended before the commit
                var unused =
                        Cancellation.outcome(
                                commit.isCompletedExceptionally()
                                        ? engine.transactionOutcome(id)
                                        : commit);
                return id;
            } catch (SteleException unknown) {
                if (unknown.code() == ErrorCode.TRANSACTION_NOT_FOUND) {
                    throw failure;
                }
                last = unknown;
            }
            if (!BusyRetry.pause(pauseMillis)) {
                break;
            }
            pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
        }
        throw new SteleException(
                ErrorCode.OUTCOME_UNKNOWN,
                "Expected the outcome of transaction %s within a minute, found none: %s"
                        .formatted(id, last.getMessage()),
                last);
    }
}
