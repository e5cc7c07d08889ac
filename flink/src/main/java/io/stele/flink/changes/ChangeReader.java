package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.table.data.RowData;

/**
 * A source reader of the changes of its shards. It owns a {@link ChangeFetcher}, which waits for
 * changes on its own thread. Confined to the task's thread, which waits only to read snapshots and
 * the rest of a large commit.
 *
 * <p>Invariant: the rows of a snapshot, or the changes of a commit, are emitted in one call. So a
 * checkpoint contains all of them or none, and a position defines what follows.
 */
final class ChangeReader implements SourceReader<RowData, ChangeSplit> {
    /** The name that Flink gives to this metric. */
    private static final String FETCH_LAG = "currentFetchEventTimeLag";

    private final String tableName;
    private final SourceReaderContext context;
    private final ShardHistory history;
    private final ChangeBuffer buffer = new ChangeBuffer(ChangeFetcher.BUFFER_BYTES);
    private final ChangeFetcher fetcher;
    private final Map<Integer, ChangeSplit> splits = new TreeMap<>();
    private boolean isLast;

    ChangeReader(
            String tableName,
            SourceReaderContext context,
            ShardHistory history,
            ChangeFetcher.Times times) {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.context = requireNonNull(context, "context is null");
        this.history = requireNonNull(history, "history is null");
        this.fetcher = new ChangeFetcher(tableName, history, buffer, times);
        Gauge<Long> lag = fetcher::lagMillis;
        context.metricGroup().gauge(FETCH_LAG, lag);
    }

    @Override
    public void start() {
        fetcher.start();
    }

    @Override
    public void addSplits(List<ChangeSplit> added) {
        for (ChangeSplit split : added) {
            splits.put(split.shard(), split);
            fetcher.add(split);
        }
    }

    @Override
    public void notifyNoMoreSplits() {
        isLast = true;
        buffer.wake();
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return buffer.available();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RowData> output)
            throws IOException, InterruptedException {
        try {
            Optional<ChangeBuffer.Held> held = buffer.takeHeld();
            if (held.isPresent()) {
                begin(held.get(), output);
                return InputStatus.MORE_AVAILABLE;
            }
            Optional<ChangeChunk> chunk = buffer.take();
            if (chunk.isPresent()) {
                pass(chunk.get(), output);
                return InputStatus.MORE_AVAILABLE;
            }
        } catch (IOException failed) {
            context.metricGroup().getNumRecordsInErrorsCounter().inc();
            throw failed;
        }
        return isLast && splits.isEmpty()
                ? InputStatus.END_OF_INPUT
                : InputStatus.NOTHING_AVAILABLE;
    }

    /**
     * Continues with a shard whose history is leased: reads its snapshot, if it has one, and
     * reports the lease.
     */
    private void begin(ChangeBuffer.Held held, ReaderOutput<RowData> output) throws IOException {
        ChangeSplit split = split(held.shard());
        if (held.snapshot().isPresent()) {
            SourceOutput<RowData> rows = output.createOutputForSplit(split.splitId());
            long millis = split.position().millis();
            try {
                history.read(split, held.snapshot().get(), row -> rows.collect(row, millis));
            } catch (SteleException failed) {
                throw new IOException(
                        "Cannot read shard %d of table %s of Stele at LSN %s: %s"
                                .formatted(
                                        split.shard(),
                                        tableName,
                                        split.position().withTime(),
                                        failed.getMessage()),
                        failed);
            }
            ChangeSplit read = split.passedTo(split.position());
            splits.put(read.shard(), read);
            fetcher.add(read);
        }
        context.sendSourceEventToCoordinator(new ShardHeld(split.shard()));
    }

    private void pass(ChangeChunk first, ReaderOutput<RowData> output)
            throws IOException, InterruptedException {
        ChangeSplit split = split(first.shard());
        SourceOutput<RowData> rows = output.createOutputForSplit(split.splitId());
        ChangeChunk chunk = first;
        pass(chunk, rows);
        while (!chunk.isWhole()) {
            chunk = buffer.takeRest();
            pass(chunk, rows);
        }
        splits.put(split.shard(), split.passedTo(chunk.position()));
    }

    private void pass(ChangeChunk chunk, SourceOutput<RowData> output) {
        for (int i = 0; i < chunk.lsns().length; i++) {
            output.collect(chunk.rows().get(i), new Lsn(chunk.lsns()[i]).millis());
        }
    }

    private ChangeSplit split(int shard) {
        return requireNonNull(splits.get(shard), "a shard that was not added");
    }

    /**
     * Pauses shards whose watermarks are too far ahead of the others. Fetched changes are still
     * emitted, as in Flink's own readers; the buffer has room for those of other shards.
     */
    @Override
    public void pauseOrResumeSplits(Collection<String> toPause, Collection<String> toResume) {
        toPause.forEach(split -> fetcher.pause(ChangeSplit.shardOf(split)));
        toResume.forEach(split -> fetcher.resume(ChangeSplit.shardOf(split)));
    }

    @Override
    public List<ChangeSplit> snapshotState(long checkpoint) {
        List<ChangeSplit> state = new ArrayList<>();
        for (ChangeSplit split : splits.values()) {
            state.add(split.readsSnapshot() ? split : advanced(split));
        }
        if (!state.isEmpty()) {
            context.sendSourceEventToCoordinator(ShardPositions.of(checkpoint, state));
        }
        return state;
    }

    /**
     * The split at the LSN up to which its shard was read. It moves even without changes; otherwise
     * the history after it would expire.
     */
    private ChangeSplit advanced(ChangeSplit split) {
        return buffer.drainedTo(split.shard())
                .filter(reached -> reached.compareTo(split.position()) > 0)
                .map(split::passedTo)
                .orElse(split);
    }

    @Override
    public void close() {
        try {
            fetcher.close();
        } finally {
            history.close();
        }
    }
}
