package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.EngineLog;
import io.stele.engine.node.Shards;
import io.stele.engine.shard.CommitPart;
import io.stele.engine.shard.CommitVote;
import io.stele.engine.wal.NodeLog;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The coordinator of commits in one phase: all shards' parts are checked and evaluated, then
 * appended to the log together, which commits them. There is no prepared state, and nothing to
 * decide after a crash: the log has all parts or none. It is possible because the shards of a
 * transaction share the log of their node: to the coordinator that is one resource manager, and
 * X/Open's XA specification (1991) lets one commit without being prepared (TMONEPHASE).
 *
 * <p>A transaction has its shards' {@linkplain ShardTurns turn} from its check until its records
 * are in the log's queue. Meanwhile it does not wait for records of other transactions to be
 * durable, so many transactions of one shard share a sync of the log.
 *
 * <p>Thread-safe. Nothing here waits.
 */
final class OnePhaseCommit {
    private final Shards shards;
    private final EngineLog log;
    private final ShardTurns turns;
    private final Executor prefetching;
    private final long maxBytes;
    private final Consumer<Throwable> uncaught;

    /**
     * @param prefetching reads ahead of commits; may block, and nothing else waits for it
     * @param maxBytes the limit on the records of a transaction
     * @param uncaught receives failures that concern no transaction
     */
    OnePhaseCommit(
            Shards shards,
            EngineLog log,
            ShardTurns turns,
            Executor prefetching,
            long maxBytes,
            Consumer<Throwable> uncaught) {
        this.maxBytes = maxBytes;
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.log = requireNonNull(log, "log is null");
        this.turns = requireNonNull(turns, "turns is null");
        this.prefetching = requireNonNull(prefetching, "prefetching is null");
    }

    /**
     * Commits; completes with the commit LSN when every later read sees all of the transaction.
     *
     * <p>It fails with {@link NotCommittedException} if it is certain that nothing is changed. With
     * any other failure the log has failed, and the next start finds the outcome.
     */
    CompletableFuture<Lsn> commit(Map<ShardId, CommitPart> parts) {
        List<CompletableFuture<?>> prefetched = new ArrayList<>();
        parts.forEach(
                (id, part) -> prefetched.add(shards.shard(id).prefetchCommit(part, prefetching)));
        return Coordinator.all(prefetched)
                .thenCompose(read -> turns.request(parts.keySet()))
                .thenCompose(turn -> commitInTurn(parts, turn));
    }

    private CompletableFuture<Lsn> commitInTurn(
            Map<ShardId, CommitPart> parts, ShardTurns.Turn turn) {
        Map<ShardId, CompletableFuture<CommitVote>> votes = new TreeMap<>();
        parts.forEach(
                (id, part) ->
                        votes.put(id, Coordinator.attempt(() -> shards.shard(id).vote(part))));
        return Coordinator.all(votes.values())
                .handle(
                        (all, refused) -> {
                            try {
                                return refused == null
                                        ? append(votes)
                                        : giveBack(votes, Coordinator.unwrap(refused));
                            } finally {
                                end(parts, turn);
                            }
                        })
                .thenCompose(lsn -> lsn)
                .thenCompose(lsn -> applied(parts, lsn));
    }

    /** Ends the turn; never throws, since the records may be in the log. */
    private void end(Map<ShardId, CommitPart> parts, ShardTurns.Turn turn) {
        for (ShardId id : parts.keySet()) {
            try {
                shards.shard(id).resumeConditional();
            } catch (RuntimeException | Error closing) {
                uncaught.accept(closing);
            }
        }
        turn.end();
    }

    private CompletableFuture<Lsn> append(Map<ShardId, CompletableFuture<CommitVote>> votes) {
        try {
            List<NodeLog.Entry> records =
                    votes.values().stream().map(vote -> vote.join().record()).toList();
            long sizeBytes = records.stream().mapToLong(NodeLog.Entry::sizeBytes).sum();
            if (sizeBytes > maxBytes) {
                throw new SteleException(
                        ErrorCode.TRANSACTION_TOO_LARGE,
                        "Expected a commit of at most %d bytes in one phase, found %d"
                                .formatted(maxBytes, sizeBytes));
            }
            if (!log.hasRoom(sizeBytes)) {
                throw new SteleException(
                        ErrorCode.BUSY,
                        "Expected room for %d bytes in the write-ahead log, found too little on its disk"
                                .formatted(sizeBytes));
            }
            return log.appendTogether(records);
        } catch (RuntimeException | Error refused) {
            return giveBack(votes, refused); // nothing is appended
        }
    }

    /** Gives back the votes of shards that agreed, because the transaction does not commit. */
    private CompletableFuture<Lsn> giveBack(
            Map<ShardId, CompletableFuture<CommitVote>> votes, Throwable cause) {
        votes.forEach(
                (id, vote) -> {
                    if (!vote.isCompletedExceptionally()) {
                        shards.shard(id).giveBack(vote.join());
                    }
                });
        return CompletableFuture.failedFuture(new NotCommittedException(cause));
    }

    /**
     * Waits for the shards; the transaction is committed even if a shard stops before it applied
     * its part.
     */
    private CompletableFuture<Lsn> applied(Map<ShardId, CommitPart> parts, Lsn lsn) {
        List<CompletableFuture<?>> applied = new ArrayList<>();
        parts.keySet().forEach(id -> applied.add(shards.shard(id).awaitApplied(lsn)));
        return Coordinator.all(applied).handle((done, stopped) -> lsn);
    }

    /** The failure of a transaction that changes nothing; the cause is the reason. */
    static final class NotCommittedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotCommittedException(Throwable cause) {
            super(cause);
        }
    }
}
