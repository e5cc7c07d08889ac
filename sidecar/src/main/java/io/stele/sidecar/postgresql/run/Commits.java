package io.stele.sidecar.postgresql.run;

import io.stele.engine.StorageEngine;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.sidecar.postgresql.wire.PostgresException;
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

    /** As the other overload, of rows alone. */
    static void commit(StorageEngine engine, String id, LongSupplier nanoTime) {
        commit(engine, id, List.of(), Optional.empty(), new Cancellation(nanoTime), nanoTime);
    }

    /**
     * Commits, and makes a staged table public with its rows; after any failure but OUTCOME_UNKNOWN
     * nothing is written, and the transaction has ended.
     *
     * @param written files of a bulk load
     * @param cancellation ends the search for keys of the files; what comes to the log is awaited
     * @throws PostgresException QUERY_CANCELED, if nothing is written
     * @throws SteleException TRANSACTION_CONFLICT, or another failure of a commit; OUTCOME_UNKNOWN
     *     if that could not be found out in a minute
     */
    static void commit(
            StorageEngine engine,
            String id,
            List<WrittenFile> written,
            Optional<TableId> publish,
            Cancellation cancellation,
            LongSupplier nanoTime) {
        try {
            var unused =
                    BusyRetry.call(
                            nanoTime,
                            () -> attempt(engine, id, written, publish, cancellation, nanoTime));
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
            Cancellation cancellation,
            LongSupplier nanoTime) {
        CompletableFuture<Lsn> commit = engine.commitLoad(id, written, publish);
        try {
            var unused =
                    written.isEmpty()
                            ? Cancellation.outcome(commit)
                            : filesOutcome(engine, id, commit, cancellation);
            return id;
        } catch (SteleException failed) {
            // After BUSY, the transaction stays open
            if (failed.code() == ErrorCode.BUSY || failed.code().nothingIsChanged()) {
                throw failed;
            }
            return resolved(engine, id, commit, failed, nanoTime);
        }
    }

    /** The outcome of a commit of files, which is given up if that is possible and wanted. */
    private static Lsn filesOutcome(
            StorageEngine engine,
            String id,
            CompletableFuture<Lsn> commit,
            Cancellation cancellation) {
        try {
            return cancellation.await(commit);
        } catch (PostgresException cancelled) {
            engine.giveUpCommit(id);
            try {
                return Cancellation.outcome(commit);
            } catch (SteleException failed) {
                throw failed.code() == ErrorCode.TRANSACTION_ABORTED ? cancelled : failed;
            }
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
