package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.ScanTicket;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.row.RowLayout;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.YieldSignal;
import io.stele.scheduler.fragment.BatchSource;
import io.stele.scheduler.fragment.Edge;
import io.stele.scheduler.fragment.EdgeOptions;
import io.stele.scheduler.fragment.Produced;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.objectstore.WouldBlockException;
import io.stele.storage.scan.RowCursor;
import io.stele.storage.scan.RowCursor.Step;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The fragment that reads one shard and makes record batches of it: the schema first, then rows.
 *
 * <p>On its context it goes on as long as everything is in memory; a step that has to wait for the
 * store is done in another pool, and the context is free meanwhile. So the cursor belongs to the
 * context, or while {@code away} to that pool; {@link #close} in that time is done when it is back.
 */
final class ScanFragment implements BatchSource<ScanBatch> {
    // 65,536: what a Trino page or a pandas chunk takes; narrow rows reach it before the size.
    private static final int MAX_BATCH_ROWS = 1 << 16;

    // Well below 50 microseconds; a look at the clock costs about as much as one.
    private static final int ROWS_BETWEEN_LOOKS = 16;

    private final ScanTicket ticket;
    private final NonBlocking.Read<RowCursor> opener;
    private final long batchBytes;
    private final Executor storeReads;
    private final Runnable ended;
    private @Nullable Edge<ScanBatch> edge; // set before the first pull

    private final Object lock = new Object();
    private boolean away; // guarded by lock: the other pool has the cursor
    private boolean closed; // guarded by lock

    private @Nullable RowCursor cursor;
    private @Nullable ArrowBatchEncoder encoder; // from the schema on
    private @Nullable Step stepAway; // what the last step in the other pool came to
    private @Nullable Throwable failureAway;
    private long remaining;
    private int rows; // in the encoder
    private long sizeBytes; // of these

    private ScanFragment(
            ScanTicket ticket,
            NonBlocking.Read<RowCursor> opener,
            long batchBytes,
            Executor storeReads,
            Runnable ended) {
        this.ticket = requireNonNull(ticket, "ticket is null");
        this.opener = requireNonNull(opener, "opener is null");
        this.batchBytes = batchBytes;
        this.storeReads = requireNonNull(storeReads, "storeReads is null");
        this.ended = requireNonNull(ended, "ended is null");
        this.remaining = ticket.limit().orElse(Long.MAX_VALUE);
    }

    /**
     * The fragment, to be pulled from.
     *
     * @param context of this fragment alone
     * @param opener opens the cursor; called again elsewhere if it must wait
     * @param storeReads does what waits for the store; refuses by throwing
     * @param ended called once, when the fragment holds nothing any more
     */
    static Edge<ScanBatch> open(
            ExecutionContext context,
            ScanTicket ticket,
            NonBlocking.Read<RowCursor> opener,
            long batchBytes,
            Executor storeReads,
            Runnable ended) {
        ScanFragment fragment = new ScanFragment(ticket, opener, batchBytes, storeReads, ended);
        Edge<ScanBatch> edge =
                new Edge<>(
                        context.name(),
                        context,
                        fragment,
                        EdgeOptions.DEFAULT,
                        ScanBatch::sizeBytes);
        fragment.edge = edge;
        return edge;
    }

    @Override
    public Produced<ScanBatch> next(YieldSignal signal) throws Exception {
        Throwable failed = failureAway;
        if (failed != null) {
            switch (failed) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                default -> throw new IllegalStateException(failed);
            }
        }
        try {
            return NonBlocking.read(() -> advance(signal));
        } catch (WouldBlockException mustWait) {
            goAway();
            return new Produced.Waiting<>();
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            if (away) {
                return; // whoever has the cursor closes it
            }
        }
        closeCursor();
    }

    // ---- on the context

    private Produced<ScanBatch> advance(YieldSignal signal) throws IOException {
        RowCursor open = cursor;
        if (open == null) {
            open = opener.read();
            cursor = open;
        }
        ArrowBatchEncoder batch = encoder;
        if (batch == null) {
            return schema(open);
        }
        long limit = Math.min(remaining, MAX_BATCH_ROWS);
        for (int steps = 1; rows < limit && sizeBytes < batchBytes; steps++) {
            Step step = stepAway;
            stepAway = null;
            if (step == null) {
                step = open.step();
            }
            if (step == Step.END) {
                remaining = rows;
                break;
            }
            if (step == Step.ROW) {
                batch.append(open.row(), open.lsn(), open.rowId());
                sizeBytes += open.row().length();
                rows++;
            }
            if (steps % ROWS_BETWEEN_LOOKS == 0 && signal.shouldYield()) {
                return new Produced.Working<>();
            }
        }
        return rows == 0 ? new Produced.End<>() : finish(batch);
    }

    private Produced<ScanBatch> schema(RowCursor open) {
        List<ArrowField> fields = ArrowSchemas.fields(open.schema(), ticket.columnIds());
        encoder = ArrowBatchEncoder.forRows(fields, RowLayout.of(open.schema().columns()));
        ByteBuffer header = ByteBuffer.wrap(ArrowSchemas.toMessage(fields));
        return new Produced.Batch<>(new ScanBatch(FlightData.schema(header), 0));
    }

    private Produced<ScanBatch> finish(ArrowBatchEncoder batch) {
        ArrowMessage message = batch.finish();
        remaining -= rows;
        rows = 0;
        sizeBytes = 0;
        return new Produced.Batch<>(
                new ScanBatch(FlightData.of(message.header(), message.body()), message.rowCount()));
    }

    // ---- in the pool of reads

    private void goAway() {
        synchronized (lock) {
            away = true;
        }
        try {
            storeReads.execute(this::readAway);
        } catch (RuntimeException refused) {
            failureAway = refused;
            comeBack();
        }
    }

    private void readAway() {
        try {
            RowCursor open = cursor;
            if (open == null) {
                cursor = opener.read();
            } else {
                stepAway = open.step();
            }
        } catch (Exception | Error failed) {
            failureAway = failed;
        }
        comeBack();
    }

    private void comeBack() {
        boolean nobodyWants;
        synchronized (lock) {
            away = false;
            nobodyWants = closed;
        }
        if (nobodyWants) {
            closeCursor();
        } else {
            requireNonNull(edge, "edge is null").resume();
        }
    }

    private void closeCursor() {
        RowCursor open = cursor;
        cursor = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException unread) {
            // Nothing was written, and all that was wanted has been read.
        } finally {
            ended.run();
        }
    }
}
