package io.stele.flink.source;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.lease.LeasedSnapshot;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * A source reader of the shards of a scan. Owns its client. Confined to the task's thread, which
 * waits for the sidecar.
 *
 * <p>Invariant: a shard is read in one call, so a checkpoint contains it completely or not at all.
 * Two reads may return its rows in different orders, so a partial read could not be continued.
 */
final class ShardReader implements SourceReader<RowData, ShardSplit> {
    private final ScanTarget target;
    private final SourceReaderContext context;
    private final SteleClient client;
    private final ShardRows rows;
    private final ArrayDeque<ShardSplit> splits = new ArrayDeque<>();
    private CompletableFuture<Void> available = new CompletableFuture<>();
    private boolean isLast;
    private @Nullable SteleTable table;

    ShardReader(ScanTarget target, SourceReaderContext context) {
        this.target = target;
        this.context = context;
        this.client = target.table().connection().open("flink-scan");
        this.rows =
                new ShardRows(
                        target.table(), target.metadata(), target.predicate(), target.maxRows());
    }

    @Override
    public void start() {
        if (splits.isEmpty()) {
            context.sendSplitRequest();
        }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RowData> output) throws IOException {
        ShardSplit split = splits.poll();
        if (split != null) {
            read(split, output);
            if (splits.isEmpty() && !isLast) {
                context.sendSplitRequest();
            }
        }
        if (!splits.isEmpty()) {
            return InputStatus.MORE_AVAILABLE;
        }
        if (isLast) {
            return InputStatus.END_OF_INPUT;
        }
        available = new CompletableFuture<>();
        return InputStatus.NOTHING_AVAILABLE;
    }

    private void read(ShardSplit split, ReaderOutput<RowData> output) throws IOException {
        try {
            SteleTable opened = table;
            if (opened == null) {
                opened = target.table().open(client);
                table = opened;
            }
            rows.read(
                    opened,
                    target.table().schema(),
                    split.shard(),
                    new LeasedSnapshot(split.snapshotId(), split.readLsn()),
                    output::collect);
        } catch (SteleException failed) {
            context.metricGroup().getNumRecordsInErrorsCounter().inc();
            throw new IOException(
                    "Cannot read shard %d of table %s of Stele at LSN %s: %s"
                            .formatted(
                                    split.shard(),
                                    target.table(),
                                    split.readLsn(),
                                    failed.getMessage()),
                    failed);
        }
    }

    @Override
    public List<ShardSplit> snapshotState(long checkpointId) {
        return List.copyOf(splits);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public void addSplits(List<ShardSplit> added) {
        splits.addAll(added);
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        isLast = true;
        available.complete(null);
    }

    @Override
    public void close() {
        client.close();
    }
}
