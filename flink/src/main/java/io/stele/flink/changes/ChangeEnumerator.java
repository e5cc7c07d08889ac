package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLeases;
import io.stele.flink.option.FeedOptions;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The split enumerator of a change source. It finds the LSN at which the changes of all shards
 * begin, and assigns each shard to one reader permanently.
 *
 * <p>It leases the history that readers may have to read again. First that is all history since the
 * beginning, until each reader has a lease of its own. With checkpoints, it is the history after
 * the last complete one. A lease that a checkpoint names lives until the next one is complete. At
 * the end of the job, leases are left to expire: the job may also be restarting, and both look
 * alike here.
 *
 * <p>Confined to the coordinator's thread. Requests to the sidecar run on another thread, one at a
 * time.
 */
final class ChangeEnumerator implements SplitEnumerator<ChangeSplit, ChangeProgress> {
    private static final Logger log = LoggerFactory.getLogger(ChangeEnumerator.class);

    private final TableSchema schema;
    private final FeedOptions options;
    private final HistoryLease lease;
    private final SplitEnumeratorContext<ChangeSplit> context;
    private final SplitAssignment assignment = new SplitAssignment();
    private final CheckpointPositions positions;
    private final Set<Integer> heldByReaders = new HashSet<>();
    private final boolean hasCheckpoints;
    private boolean isBegun;
    private boolean isReleased;

    /**
     * An enumerator of the shards of a table.
     *
     * @param schema the table when the job was planned
     * @param hasCheckpoints whether the job makes checkpoints
     */
    ChangeEnumerator(
            TableSchema schema,
            FeedOptions options,
            HistoryLease lease,
            SplitEnumeratorContext<ChangeSplit> context,
            ChangeProgress progress,
            boolean hasCheckpoints) {
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.lease = requireNonNull(lease, "lease is null");
        this.context = requireNonNull(context, "context is null");
        this.positions = new CheckpointPositions(schema.shardCount());
        this.isBegun = progress.isBegun();
        this.hasCheckpoints = hasCheckpoints;
        this.assignment.spread(progress.splits(), context.currentParallelism());
    }

    @Override
    public void start() {
        if (isBegun) {
            lease(lease::renew);
        } else {
            context.callAsync(() -> lease.open(options.start()), this::begin);
        }
        long period = SnapshotLeases.renewalPeriod(options.leaseTime()).toMillis();
        context.callAsync(
                () -> {
                    lease.renew();
                    return true;
                },
                this::leased,
                period,
                period);
    }

    private void begin(@Nullable LeasedSnapshot start, @Nullable Throwable failed) {
        if (start == null) {
            throw new FlinkRuntimeException(
                    "Cannot read the changes of table %s of Stele%s: %s"
                            .formatted(
                                    schema.qualifiedName(),
                                    options.start()
                                            .map(lsn -> " after LSN " + lsn.withTime())
                                            .orElse(""),
                                    failed == null ? "unknown" : failed.getMessage()),
                    failed);
        }
        isBegun = true;
        List<ChangeSplit> splits = new ArrayList<>();
        for (int shard = 0; shard < schema.shardCount(); shard++) {
            splits.add(new ChangeSplit(schema.id(), shard, start.lsn(), options.readsSnapshot()));
        }
        assignment.spread(splits, context.currentParallelism());
        new ArrayList<>(context.registeredReaders().keySet()).forEach(this::assign);
    }

    // ---- Splits

    @Override
    public void addReader(int subtask) {
        if (isBegun) {
            assign(subtask);
        }
    }

    private void assign(int subtask) {
        List<ChangeSplit> splits = assignment.take(subtask);
        if (!splits.isEmpty()) {
            context.assignSplits(new SplitsAssignment<>(Map.of(subtask, splits)));
        }
        context.signalNoMoreSplits(
                subtask); // a reader without splits ends, and holds no watermark back
    }

    @Override
    public void addSplitsBack(List<ChangeSplit> splits, int subtask) {
        if (isReleased) { // only the failed reader had a lease on the history after its beginning
            throw new FlinkRuntimeException(
                    "Cannot go on with the changes of table %s of Stele in subtask %d, which failed: a job without checkpoints begins anew"
                            .formatted(schema.qualifiedName(), subtask));
        }
        assignment.giveBack(splits, subtask);
        splits.forEach(split -> heldByReaders.remove(split.shard()));
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        // Readers request no splits
    }

    // ---- The history

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        if (event instanceof ShardHeld shard) {
            heldByReaders.add(shard.shard());
            if (heldByReaders.size() == schema.shardCount() && !hasCheckpoints) {
                isReleased = true; // without checkpoints, a failed job starts from the beginning
                lease(lease::release);
            }
        } else if (event instanceof ShardPositions known) {
            for (int i = 0; i < known.shards().length; i++) {
                positions.add(known.checkpoint(), known.shards()[i], new Lsn(known.lsns()[i]));
            }
        }
    }

    @Override
    public ChangeProgress snapshotState(long checkpoint) {
        List<ChangeSplit> waiting = assignment.waiting();
        for (ChangeSplit split : waiting) {
            positions.add(checkpoint, split.shard(), split.position());
        }
        Optional<LeasedSnapshot> held = lease.held();
        held.ifPresent(named -> positions.addLease(checkpoint, named.lsn()));
        return new ChangeProgress(isBegun, held, waiting);
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        Optional<Lsn> named = positions.lease(checkpoint);
        positions
                .complete(checkpoint)
                .ifPresent(least -> lease(() -> lease.moveTo(least, named.orElse(least))));
    }

    private void lease(Runnable change) {
        context.callAsync(
                () -> {
                    change.run();
                    return true;
                },
                this::leased);
    }

    /**
     * Ignores refusals by the sidecar. If history is lost, the read of its shard reports it; the
     * next attempt may get the lease.
     */
    private void leased(@Nullable Boolean done, @Nullable Throwable failed) {
        if (failed != null && !(failed instanceof SteleException)) {
            throw new FlinkRuntimeException(
                    "Cannot hold the history of table %s of Stele: %s"
                            .formatted(schema.qualifiedName(), failed.getMessage()),
                    failed);
        }
        if (failed instanceof SteleException refused
                && refused.code() == ErrorCode.SNAPSHOT_EXPIRED) {
            log.warn(
                    "The history of table {} of Stele is gone that the last checkpoint of the job needs: if the job fails before the next one, it may have to be started without its state: {}",
                    schema.qualifiedName(),
                    refused.getMessage());
        }
    }

    @Override
    public void close() {
        lease.close();
    }
}
