package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.storage.catalog.CatalogService;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.shard.PartitionDelete;
import io.stele.storage.shard.TableGroupShard;
import io.stele.storage.wal.LogHold;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Commits transactions over shards.
 *
 * <p>Each participant logs PREPARE; then their logs are held, which fixes the commit LSN; conflicts
 * are looked for in what is applied below it; the decision object is created; each participant logs
 * OUTCOME under the commit LSN; the hold ends. Writers of these shards wait during the hold;
 * readers above the commit LSN wait for the outcome; nobody fails.
 *
 * <p>Invariant: an OUTCOME "committed" is logged only after the decision object says so. If it
 * cannot be found out what the object says, the participants stop serving until a restart resolves
 * it: their logs stay held, so nothing can come between.
 *
 * <p>Safe for use by many threads. Nothing here waits; blocking steps run on background threads.
 */
final class Coordinator {
    private final Shards shards;
    private final EngineLog log;
    private final Decisions decisions;
    private final CatalogService catalog;
    private final Executor background;
    private final long epoch;

    Coordinator(
            Shards shards,
            EngineLog log,
            Decisions decisions,
            CatalogService catalog,
            Executor background,
            long epoch) {
        this.shards = requireNonNull(shards, "shards is null");
        this.log = requireNonNull(log, "log is null");
        this.decisions = requireNonNull(decisions, "decisions is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.background = requireNonNull(background, "background is null");
        this.epoch = epoch;
    }

    /** What a transaction does. */
    record Commit(
            String transactionId,
            Optional<Lsn> readLsn,
            Map<ShardId, List<byte[]>> batches,
            Map<ShardId, List<FileEntry>> files,
            Map<ShardId, List<PartitionDelete>> deletes,
            Optional<TableId> publish) {
        /** The shards that have a part in it, in order. */
        SortedSet<ShardId> participants() {
            SortedSet<ShardId> participants = new TreeSet<>(batches.keySet());
            participants.addAll(files.keySet());
            participants.addAll(deletes.keySet());
            return participants;
        }
    }

    /** Commits; completes with the commit LSN when every later read sees all of it. */
    CompletableFuture<Lsn> commit(Commit commit) {
        SortedSet<ShardId> participants = commit.participants();
        CompletableFuture<Lsn> committed =
                participants.isEmpty() ? commitNothing(commit) : commitParts(commit, participants);
        return committed.thenCompose(lsn -> publish(commit, lsn));
    }

    private CompletableFuture<Lsn> commitNothing(Commit commit) {
        Lsn lsn = log.readPoint(List.of()).lsn();
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
        List<CompletableFuture<@Nullable Void>> prepared = new ArrayList<>();
        for (ShardId id : participants) {
            prepared.add(
                    shards.shard(id)
                            .prepare(
                                    commit.transactionId(),
                                    commit.readLsn(),
                                    commit.files().getOrDefault(id, List.of()),
                                    commit.batches().getOrDefault(id, List.of()),
                                    commit.deletes().getOrDefault(id, List.of())));
        }
        return all(prepared)
                .handle(
                        (done, failed) ->
                                failed == null
                                        ? commitPaused(commit, participants)
                                        : giveUp(commit, participants, prepared, failed))
                .thenCompose(next -> next);
    }

    /** No conditional write is worked out on what this transaction is about to change. */
    private CompletableFuture<Lsn> commitPaused(Commit commit, SortedSet<ShardId> participants) {
        List<CompletableFuture<@Nullable Void>> paused = new ArrayList<>();
        participants.forEach(id -> paused.add(shards.shard(id).pauseConditional()));
        return all(paused)
                .thenCompose(done -> log.hold(participants))
                .thenCompose(hold -> commitHeld(commit, participants, hold))
                .whenComplete(
                        (lsn, failed) ->
                                participants.forEach(id -> shards.shard(id).resumeConditional()));
    }

    /** A participant could not prepare: those that did are told. */
    private CompletableFuture<Lsn> giveUp(
            Commit commit,
            SortedSet<ShardId> participants,
            List<CompletableFuture<@Nullable Void>> prepared,
            Throwable failed) {
        int index = 0;
        for (ShardId id : participants) {
            CompletableFuture<@Nullable Void> part = prepared.get(index++);
            part.thenCompose(done -> shards.shard(id).abort(commit.transactionId()));
        }
        return CompletableFuture.failedFuture(unwrap(failed));
    }

    private CompletableFuture<Lsn> commitHeld(
            Commit commit, SortedSet<ShardId> participants, LogHold hold) {
        return findConflict(commit, participants, hold)
                .handle(
                        (conflict, failed) -> {
                            if (failed != null) {
                                return finish(commit, participants, hold, false)
                                        .<Lsn>thenCompose(
                                                done ->
                                                        CompletableFuture.failedFuture(
                                                                unwrap(failed)));
                            }
                            if (conflict.isPresent()) {
                                SteleException cause = conflict.get();
                                return finish(commit, participants, hold, false)
                                        .<Lsn>thenCompose(
                                                done -> CompletableFuture.failedFuture(cause));
                            }
                            return decideHeld(commit, participants, hold);
                        })
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
                                                    commit.transactionId(), hold.lsn())));
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
                                return stop(commit, participants, failed);
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

    private CompletableFuture<Decision> decide(Commit commit, Lsn lsn) {
        return inBackground(
                () ->
                        decisions.decide(
                                new Decision(
                                        commit.transactionId(),
                                        true,
                                        lsn,
                                        commit.publish(),
                                        epoch)));
    }

    private CompletableFuture<@Nullable Void> finish(
            Commit commit, SortedSet<ShardId> participants, LogHold hold, boolean committed) {
        List<CompletableFuture<@Nullable Void>> outcomes = new ArrayList<>();
        for (ShardId id : participants) {
            outcomes.add(shards.shard(id).decide(hold, commit.transactionId(), committed));
        }
        // The records are appended one hop later, on the shards' contexts; the hold ends when all
        // are.
        return shards.joined(participants)
                .thenCompose(
                        done -> {
                            boolean missing =
                                    outcomes.stream()
                                            .anyMatch(CompletableFuture::isCompletedExceptionally);
                            if (!committed || !missing) {
                                log.release(hold);
                            }
                            return all(outcomes);
                        });
    }

    /** Nobody can say how it was decided: the shards keep silent until a restart finds out. */
    private CompletableFuture<Lsn> stop(
            Commit commit, SortedSet<ShardId> participants, Throwable failed) {
        SteleException cause =
                new SteleException(
                        ErrorCode.STORE_FAILED,
                        "Shards %s stopped: it could not be found out whether transaction %s is committed: %s"
                                .formatted(participants, commit.transactionId(), unwrap(failed)),
                        unwrap(failed));
        participants.forEach(
                id -> shards.shard(id).context().execute(() -> shards.shard(id).fail(cause)));
        return CompletableFuture.failedFuture(cause);
    }

    private CompletableFuture<Lsn> publish(Commit commit, Lsn lsn) {
        if (commit.publish().isEmpty()) {
            return CompletableFuture.completedFuture(lsn);
        }
        return inBackground(
                () -> {
                    catalog.publishTable(commit.publish().get());
                    return lsn;
                });
    }

    private <T> CompletableFuture<T> inBackground(BlockingStep<T> step) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            background.execute(
                    () -> {
                        try {
                            result.complete(step.run());
                        } catch (IOException | RuntimeException failed) {
                            result.completeExceptionally(failed);
                        }
                    });
        } catch (java.util.concurrent.RejectedExecutionException full) {
            result.completeExceptionally(
                    new SteleException(ErrorCode.BUSY, "Background work is behind", full));
        }
        return result;
    }

    private static CompletableFuture<@Nullable Void> all(
            List<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> null);
    }

    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }

    private static SteleException aborted(String transactionId, String reason) {
        return new SteleException(
                ErrorCode.TRANSACTION_NOT_FOUND,
                "Expected to commit transaction " + transactionId + ", found that " + reason);
    }

    /** A step that waits for the store. */
    @FunctionalInterface
    private interface BlockingStep<T> {
        T run() throws IOException;
    }
}
