package io.stele.flink.source;

import io.stele.client.SteleClient;
import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLeases;
import io.stele.flink.table.OpenedTable;
import io.stele.protocol.SteleException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/**
 * The split enumerator of a scan. It opens one snapshot, assigns shards to readers that ask, and
 * renews the snapshot's lease until the job ends. Owns the lease and a client.
 *
 * <p>Confined to the coordinator's thread, except the volatile field. Requests to the sidecar run
 * on another thread, one at a time.
 */
final class ShardEnumerator implements SplitEnumerator<ShardSplit, ScanProgress> {
    private final ScanTarget target;
    private final SplitEnumeratorContext<ShardSplit> context;
    private final SteleClient client;
    private final OpenedTable table;
    private final SnapshotLeases leases;
    private final TreeSet<Integer> shards;
    private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
    private volatile Optional<LeasedSnapshot> snapshot;
    private boolean isReady;

    ShardEnumerator(
            ScanTarget target, SplitEnumeratorContext<ShardSplit> context, ScanProgress progress) {
        this.target = target;
        this.context = context;
        SteleClient opened = target.table().connection().open("flink-scan");
        this.client = opened;
        this.table = new OpenedTable(() -> target.table().open(opened));
        this.leases = table.leases(target.table().schema().id(), target.snapshotTtl());
        this.shards = new TreeSet<>(progress.shards());
        this.snapshot = progress.snapshot();
    }

    @Override
    public void start() {
        ensureOpen();
        long period = leases.renewalPeriod().toMillis();
        context.callAsync(this::renewed, this::opened, period, period);
    }

    /** Opens the snapshot again, if it may be lost, before its splits are assigned. */
    private void ensureOpen() {
        isReady = false;
        context.callAsync(this::renewed, this::opened);
    }

    private LeasedSnapshot renewed() {
        return snapshot.map(leases::renew).orElseGet(() -> leases.open(Optional.empty()));
    }

    private void opened(@Nullable LeasedSnapshot open, @Nullable Throwable failed) {
        if (open == null) {
            if (isReady && failed instanceof SteleException known && known.code().retryable()) {
                return; // the next renewal comes before the lease expires
            }
            throw new FlinkRuntimeException(
                    "Cannot read table %s of Stele at one snapshot%s: %s"
                            .formatted(
                                    target.table(),
                                    snapshot.map(known -> " (LSN " + known.lsn() + ")").orElse(""),
                                    failed == null ? "unknown" : failed.getMessage()),
                    failed);
        }
        snapshot = Optional.of(open);
        isReady = true;
        while (!waiting.isEmpty()) {
            assign(waiting.remove());
        }
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        if (isReady) {
            assign(subtask);
        } else {
            waiting.add(subtask);
        }
    }

    private void assign(int subtask) {
        if (!context.registeredReaders().containsKey(subtask)) {
            return; // it has failed, and asks again after its restart
        }
        Integer shard = shards.pollFirst();
        if (shard == null) {
            context.signalNoMoreSplits(subtask);
            return;
        }
        LeasedSnapshot read = snapshot.orElseThrow();
        context.assignSplit(new ShardSplit(shard, read.id(), read.lsn()), subtask);
    }

    @Override
    public void addSplitsBack(List<ShardSplit> splits, int subtask) {
        splits.forEach(split -> shards.add(split.shard()));
        ensureOpen(); // the sidecar may have failed, not the reader
    }

    @Override
    public void addReader(int subtask) {}

    @Override
    public ScanProgress snapshotState(long checkpointId) {
        return new ScanProgress(snapshot, new ArrayList<>(shards));
    }

    @Override
    public void close() {
        try {
            if (table.isOpen()) { // otherwise the lease expires
                snapshot.ifPresent(leases::close);
            }
        } finally {
            client.close();
        }
    }
}
