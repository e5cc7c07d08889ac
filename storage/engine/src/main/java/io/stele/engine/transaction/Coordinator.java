package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.BackgroundTasks;
import io.stele.engine.node.EngineLog;
import io.stele.engine.node.Shards;
import io.stele.engine.shard.CommitPart;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.record.PartitionDelete;
import io.stele.engine.wal.LogHold;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator of transactions' commits over shards. Small transactions of rows commit
 * {@linkplain OnePhaseCommit in one phase}; transactions with files, many rows, deleted partitions
 * or a new table commit in two phases.
 *
 * <p>Two phases: each participant logs PREPARE; then their logs are held, which fixes the commit
 * LSN; conflicts are searched in the changes applied below it; the decision object is created; each
 * participant logs OUTCOME under the commit LSN; the hold ends. Writers of these shards wait during
 * the hold; readers above the commit LSN wait for the outcome; none of them fails.
 *
 * <p>Invariant: an OUTCOME "committed" is logged only after the decision object has this decision.
 * While the store does not return the object, the request is repeated. The participants' logs stay
 * held, so no record can come between, and earlier commits can be read. Only a decision object that
 * is damaged stops the participants until a restart.
 *
 * <p>Safe for use by many threads. Nothing here waits; blocking steps run on background threads.
 */
public final class Coordinator {
    private final Shards shards;
    private final EngineLog log;
    private final DecisionStore decisions;
    private final CatalogService catalog;
    private final Retries retries;
    private final Executor deciding;
    private final Executor statements;
    private final Executor prefetching;
    private final ShardTurns turns = new ShardTurns();
    private final OnePhaseCommit onePhase;
    private final CommittedTransactions committed;
    private final long onePhaseBytes;
    private final long maxResolvedBytes;
    private final long epoch;

    /**
     * @param deciding runs requests for decisions and nothing else, so that nothing delays them
     * @param statements runs tasks that wait for the catalog
     * @param prefetching reads ahead of commits; may block, and nothing else waits for it
     * @param committed receives the transactions that commit in one phase
     * @param uncaught receives failures that concern no transaction
     * @param onePhaseBytes the most rows, in bytes, that commit in one phase
     * @param maxResolvedBytes the limit on the rows that a transaction's conditional operations
     *     resolve to in a shard
     */
    public Coordinator(
            Shards shards,
            EngineLog log,
            DecisionStore decisions,
            CatalogService catalog,
            Retries retries,
            Executor deciding,
            Executor statements,
            Executor prefetching,
            CommittedTransactions committed,
            long onePhaseBytes,
            long maxResolvedBytes,
            Consumer<Throwable> uncaught,
            long epoch) {
        this.shards = requireNonNull(shards, "shards is null");
        this.log = requireNonNull(log, "log is null");
        this.decisions = requireNonNull(decisions, "decisions is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.retries = requireNonNull(retries, "retries is null");
        this.deciding = requireNonNull(deciding, "deciding is null");
        this.statements = requireNonNull(statements, "statements is null");
        this.prefetching = requireNonNull(prefetching, "prefetching is null");
        // Resolved rows may be larger than the sent ones, and a group of the log contains them all
        this.onePhase =
                new OnePhaseCommit(shards, log, turns, prefetching, 2 * onePhaseBytes, uncaught);
        this.committed = requireNonNull(committed, "committed is null");
        this.onePhaseBytes = Math.min(onePhaseBytes, log.recordBytes());
        this.maxResolvedBytes = Math.min(maxResolvedBytes, LogHold.MAX_RECORD_BYTES / 2);
        this.epoch = epoch;
    }

    /**
     * The content of a transaction's commit.
     *
     * @param isRepeatable whether a client may ask for its outcome later
     * @param newKeys keys of its files, which had no row when they were searched, and must have
     *     none at the commit either; other files replace the rows of their keys
     */
    record Commit(
            String transactionId,
            boolean isRepeatable,
            Optional<Lsn> readLsn,
            Map<ShardId, List<byte[]>> batches,
            Map<ShardId, List<FileEntry>> files,
            Map<ShardId, List<PartitionDelete>> deletes,
            Optional<TableId> publish,
            CheckedKeys newKeys) {
        /** The same, once the keys of its files were found to be new. */
        Commit withNewKeys(CheckedKeys keys) {
            return new Commit(
                    transactionId, isRepeatable, readLsn, batches, files, deletes, publish, keys);
        }

        /** The shards that have a part in it, in order. */
        SortedSet<ShardId> participants() {
            SortedSet<ShardId> participants = new TreeSet<>(batches.keySet());
            participants.addAll(files.keySet());
            participants.addAll(deletes.keySet());
            return participants;
        }

        private boolean hasRowsAlone() {
            return files.isEmpty() && deletes.isEmpty() && publish.isEmpty() && !batches.isEmpty();
        }

        private long rowBytes() {
            return batches.values().stream()
                    .flatMap(List::stream)
                    .mapToLong(batch -> batch.length)
                    .sum();
        }
    }

    /**
     * A transaction that is committed.
     *
     * @param isDecided whether it has a decision object, which must be deleted later
     */
    record Committed(Lsn lsn, boolean isDecided) {}

    /**
     * @param bytes of the rows that a commit is about to log
     * @throws SteleException BUSY if the log's disk has no space for them
     */
    void checkRoom(long bytes) {
        log.space().checkRoom(bytes);
    }

    /**
     * Commits; completes with the commit LSN when every later read sees all of the transaction. It
     * never throws: every failure is in the future.
     */
    CompletableFuture<Committed> commit(Commit commit) {
        return commit.hasRowsAlone() && commit.rowBytes() <= onePhaseBytes
                ? commitInOnePhase(commit)
                : commitDecided(commit);
    }

    private CompletableFuture<Committed> commitInOnePhase(Commit commit) {
        Map<ShardId, CommitPart> parts = new TreeMap<>();
        commit.batches()
                .forEach(
                        (id, batches) ->
                                parts.put(
                                        id,
                                        new CommitPart(
                                                commit.transactionId(),
                                                commit.isRepeatable(),
                                                commit.readLsn(),
                                                batches,
                                                onePhaseBytes,
                                                lsn -> durable(commit, lsn))));
        return attempt(() -> onePhase.commit(parts))
                .handle(
                        (lsn, failed) ->
                                failed == null
                                        ? CompletableFuture.completedFuture(
                                                new Committed(lsn, false))
                                        : afterOnePhase(commit, unwrap(failed)))
                .thenCompose(next -> next);
    }

    private void durable(Commit commit, Lsn lsn) {
        if (commit.isRepeatable()) {
            committed.add(commit.transactionId(), lsn);
        }
    }

    /** Partial updates may resolve to rows of any size, and then need two phases. */
    private CompletableFuture<Committed> afterOnePhase(Commit commit, Throwable failed) {
        if (!(failed instanceof OnePhaseCommit.NotCommittedException)) {
            return CompletableFuture.failedFuture(failed);
        }
        Throwable cause = unwrap(requireNonNull(failed.getCause()));
        return cause instanceof SteleException known
                        && known.code() == ErrorCode.TRANSACTION_TOO_LARGE
                ? commitDecided(commit)
                : CompletableFuture.failedFuture(undone(commit.transactionId(), cause));
    }

    /** Commits by a decision object. */
    private CompletableFuture<Committed> commitDecided(Commit commit) {
        SortedSet<ShardId> participants = commit.participants();
        return attempt(
                        () ->
                                participants.isEmpty()
                                        ? commitNothing(commit)
                                        : commitParts(commit, participants))
                .thenCompose(lsn -> publish(commit, lsn))
                .thenApply(lsn -> new Committed(lsn, true));
    }

    private CompletableFuture<Lsn> commitNothing(Commit commit) {
        Lsn lsn = log.snapshotLsn(List.of()).lsn();
        return decide(commit, lsn)
                .thenApply(
                        decision -> {
                            if (!decision.committed()) {
                                throw aborted(commit.transactionId(), "it was decided to abort it");
                            }
                            return decision.lsn();
                        });
    }

    private CompletableFuture<Lsn> commitParts(Commit commit, SortedSet<ShardId> participants) {
        Map<ShardId, CompletableFuture<@Nullable Void>> prepared = new TreeMap<>();
        for (ShardId id : participants) {
            prepared.put(id, attempt(() -> prepare(commit, id)));
        }
        return all(prepared.values())
                .handle(
                        (done, failed) ->
                                failed == null
                                        ? prefetch(commit, participants)
                                                .thenCompose(read -> turns.request(participants))
                                                .thenCompose(
                                                        turn ->
                                                                commitInTurn(
                                                                        commit, prepared, turn))
                                        : giveUp(commit, prepared, failed))
                .thenCompose(next -> next);
    }

    private CompletableFuture<Lsn> commitInTurn(
            Commit commit,
            Map<ShardId, CompletableFuture<@Nullable Void>> prepared,
            ShardTurns.Turn turn) {
        // No other transaction changes the shards now, and single writes go on
        return attempt(() -> commit.newKeys().searchAgain(prefetching))
                .handle(
                        (done, failed) ->
                                failed == null
                                        ? attempt(() -> commitPaused(commit, prepared))
                                        : giveUp(commit, prepared, failed))
                .thenCompose(next -> next)
                .whenComplete((lsn, failed) -> turn.end());
    }

    /**
     * Reads the blocks for the conflict check before the log is held, so that other writes
     * continue.
     */
    private CompletableFuture<@Nullable Void> prefetch(
            Commit commit, SortedSet<ShardId> participants) {
        if (!commit.newKeys().isEmpty()) {
            return CompletableFuture.completedFuture(null); // that was read already
        }
        return all(
                participants.stream()
                        .map(
                                id ->
                                        shards.shard(id)
                                                .prefetchCommit(
                                                        commit.transactionId(), prefetching))
                        .toList());
    }

    private CompletableFuture<@Nullable Void> prepare(Commit commit, ShardId id) {
        return shards.shard(id)
                .prepare(
                        commit.transactionId(),
                        commit.readLsn(),
                        commit.files().getOrDefault(id, List.of()),
                        commit.batches().getOrDefault(id, List.of()),
                        commit.deletes().getOrDefault(id, List.of()));
    }

    /**
     * Commits while no conditional write is evaluated against rows that this transaction may
     * change.
     */
    private CompletableFuture<Lsn> commitPaused(
            Commit commit, Map<ShardId, CompletableFuture<@Nullable Void>> prepared) {
        SortedSet<ShardId> participants = new TreeSet<>(prepared.keySet());
        List<CompletableFuture<@Nullable Void>> paused = new ArrayList<>();
        participants.forEach(id -> paused.add(shards.shard(id).pauseConditional()));
        return all(paused)
                .thenCompose(done -> log.hold(participants))
                .handle(
                        (hold, failed) ->
                                failed == null
                                        ? commitHeld(commit, participants, hold)
                                        : giveUp(commit, prepared, failed))
                .thenCompose(next -> next)
                .whenComplete(
                        (lsn, failed) ->
                                participants.forEach(id -> shards.shard(id).resumeConditional()));
    }

    /** The commit ends without a decision: the prepared participants are notified. */
    private CompletableFuture<Lsn> giveUp(
            Commit commit,
            Map<ShardId, CompletableFuture<@Nullable Void>> prepared,
            Throwable failed) {
        prepared.forEach(
                (id, part) ->
                        part.thenCompose(done -> shards.shard(id).abort(commit.transactionId())));
        return CompletableFuture.failedFuture(undone(commit.transactionId(), unwrap(failed)));
    }

    private CompletableFuture<Lsn> commitHeld(
            Commit commit, SortedSet<ShardId> participants, LogHold hold) {
        return attempt(() -> findConflict(commit, participants, hold))
                .handle(
                        (conflict, failed) -> {
                            if (failed != null) {
                                return abort(commit, participants, hold, unwrap(failed));
                            }
                            if (conflict.isPresent()) {
                                return abort(commit, participants, hold, conflict.get());
                            }
                            return decideHeld(commit, participants, hold);
                        })
                .thenCompose(next -> next);
    }

    private CompletableFuture<Lsn> abort(
            Commit commit, SortedSet<ShardId> participants, LogHold hold, Throwable cause) {
        return finish(commit, participants, hold, false)
                .handle(
                        (done, never) ->
                                CompletableFuture.<Lsn>failedFuture(
                                        undone(commit.transactionId(), cause)))
                .thenCompose(next -> next);
    }

    private CompletableFuture<Optional<SteleException>> findConflict(
            Commit commit, SortedSet<ShardId> participants, LogHold hold) {
        List<CompletableFuture<Optional<SteleException>>> checks = new ArrayList<>();
        for (ShardId id : participants) {
            TableGroupShard shard = shards.shard(id);
            Lsn previous = hold.previous().getOrDefault(id, Lsn.MIN);
            checks.add(
                    shard.awaitApplied(previous)
                            .thenCompose(
                                    done ->
                                            shard.findConflict(
                                                    commit.transactionId(),
                                                    hold.lsn(),
                                                    maxResolvedBytes,
                                                    commit.newKeys().of(id))));
        }
        return all(checks)
                .thenApply(
                        done ->
                                checks.stream()
                                        .map(CompletableFuture::join)
                                        .flatMap(Optional::stream)
                                        .findFirst());
    }

    private CompletableFuture<Lsn> decideHeld(
            Commit commit, SortedSet<ShardId> participants, LogHold hold) {
        return decide(commit, hold.lsn())
                .handle(
                        (decision, failed) -> {
                            if (failed != null) {
                                return stop(commit, participants, hold, failed);
                            }
                            boolean ours =
                                    decision.committed() && decision.lsn().equals(hold.lsn());
                            return finish(commit, participants, hold, ours)
                                    .thenApply(
                                            done -> {
                                                if (!ours) {
                                                    throw aborted(
                                                            commit.transactionId(),
                                                            "it was decided elsewhere as "
                                                                    + decision);
                                                }
                                                return hold.lsn();
                                            });
                        })
                .thenCompose(next -> next);
    }

    /** Requests the decision until it is known, without a time limit. */
    private CompletableFuture<Decision> decide(Commit commit, Lsn lsn) {
        Decision proposal =
                new Decision(commit.transactionId(), true, lsn, commit.publish(), epoch);
        return retries.untilDone(
                "decide transaction " + commit.transactionId(),
                deciding,
                () -> decisions.decide(proposal));
    }

    /**
     * Logs the outcome in every participant and ends the hold; completes when the outcome is
     * applied.
     *
     * <p>Invariant: the hold of a committed transaction ends only when each of its records is in
     * the log's queue, so that nothing comes before it.
     */
    private CompletableFuture<@Nullable Void> finish(
            Commit commit, SortedSet<ShardId> participants, LogHold hold, boolean committed) {
        List<CompletableFuture<CompletableFuture<@Nullable Void>>> logged = new ArrayList<>();
        for (ShardId id : participants) {
            logged.add(
                    retries.untilDone(
                            "log how transaction " + commit.transactionId() + " ended",
                            () ->
                                    shards.shard(id)
                                            .decide(hold, commit.transactionId(), committed)));
        }
        return all(logged)
                .thenCompose(
                        done -> {
                            log.release(hold);
                            return all(logged.stream().map(CompletableFuture::join).toList());
                        });
    }

    /**
     * Stops the shards until a restart, because the decision cannot be read. Records behind the
     * hold must not be logged before the outcome, so waiting writes are refused.
     */
    private CompletableFuture<Lsn> stop(
            Commit commit, SortedSet<ShardId> participants, LogHold hold, Throwable failed) {
        SteleException cause =
                new SteleException(
                        ErrorCode.STORE_FAILED,
                        "Shards %s stopped: it could not be found out whether transaction %s is committed: %s"
                                .formatted(participants, commit.transactionId(), unwrap(failed)),
                        unwrap(failed));
        participants.forEach(
                id ->
                        shards.shard(id)
                                .context()
                                .execute(
                                        () ->
                                                shards.shard(id)
                                                        .fail(
                                                                Decision.path(
                                                                        commit.transactionId()),
                                                                cause)));
        hold.abandon(cause);
        return CompletableFuture.failedFuture(cause);
    }

    /**
     * Publishes the table that a commit creates. The commit is decided, so the request is repeated
     * until the store answers. If the table is gone after an attempt with an unknown result, it was
     * public and has been dropped since.
     */
    private CompletableFuture<Lsn> publish(Commit commit, Lsn lsn) {
        if (commit.publish().isEmpty()) {
            return CompletableFuture.completedFuture(lsn);
        }
        AtomicBoolean mayBePublic = new AtomicBoolean();
        return retries.untilDone(
                "publish the table of transaction " + commit.transactionId(),
                () ->
                        BackgroundTasks.submit(
                                statements,
                                () -> {
                                    publish(commit.publish().get(), lsn, mayBePublic);
                                    return lsn;
                                }),
                Coordinator::isStoreOrBusy);
    }

    private void publish(TableId tableId, Lsn lsn, AtomicBoolean mayBePublic) {
        try {
            catalog.publishTable(tableId, lsn);
        } catch (SteleException failed) {
            if (failed.code() == ErrorCode.STALE_TABLE && mayBePublic.get()) {
                return;
            }
            if (failed.code() == ErrorCode.STORE_FAILED) {
                mayBePublic.set(true);
            }
            throw failed;
        }
    }

    private static boolean isStoreOrBusy(Throwable failure) {
        return failure instanceof SteleException known
                && (known.code() == ErrorCode.STORE_FAILED || known.code() == ErrorCode.BUSY);
    }

    /** The future that a step returns, or a failed one if it throws. */
    static <T extends @Nullable Object> CompletableFuture<T> attempt(
            Supplier<CompletableFuture<T>> step) {
        try {
            return step.get();
        } catch (RuntimeException | Error failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    static CompletableFuture<@Nullable Void> all(
            Collection<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> null);
    }

    public static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }

    /** The error of a transaction that is not committed, and never will be. */
    static SteleException undone(String transactionId, Throwable cause) {
        return cause instanceof SteleException known && known.code().nothingIsChanged()
                ? known
                : new SteleException(
                        ErrorCode.TRANSACTION_ABORTED,
                        "Transaction %s is aborted, and nothing is changed: %s"
                                .formatted(
                                        transactionId,
                                        cause instanceof SteleException known
                                                ? known.getMessage()
                                                : cause),
                        cause);
    }

    private static SteleException aborted(String transactionId, String reason) {
        return new SteleException(
                ErrorCode.TRANSACTION_NOT_FOUND,
                "Expected to commit transaction " + transactionId + ", found that " + reason);
    }
}
