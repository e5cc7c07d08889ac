package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.scan.RowCursor.Step;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.api.scan.ScanTicket;
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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The fragment of a DoGet that reads one shard, or the rows of a lookup, into Arrow record batches:
 * first the schema, then rows.
 *
 * <p>On its context it runs as long as everything is in memory. A step that must wait for the store
 * runs in another pool, and the context is free meanwhile ({@link StoreReadSteps}).
 */
final class ScanFragment implements BatchSource<ScanBatch> {
    // 65,536: the size of a Trino page or a pandas chunk; narrow rows reach it before the size.
    private static final int MAX_BATCH_ROWS = 1 << 16;

    // Well below 50 microseconds; reading the clock costs about as much as one row.
    private static final int ROWS_BETWEEN_LOOKS = 16;

    private final ScanTicket ticket;
    private final NonBlocking.Read<RowCursor> opener;
    private final long batchBytes;
    private final Runnable ended;
    private final StoreReadSteps trips;
    private final ReadAccount account;

    private @Nullable RowCursor cursor;
    private @Nullable ArrowBatchEncoder encoder; // from the schema on
    private @Nullable Step stepAway; // the result of the last step in the other pool
    private long remaining;
    private int rows; // in the encoder
    private long sizeBytes; // of these

    private ScanFragment(
            ScanTicket ticket,
            NonBlocking.Read<RowCursor> opener,
            long batchBytes,
            Executor storeReads,
            Runnable ended) {
        this.account = ReadAccount.current().orElseGet(ReadAccount::new);
        this.ticket = requireNonNull(ticket, "ticket is null");
        this.opener = requireNonNull(opener, "opener is null");
        this.batchBytes = batchBytes;
        this.ended = requireNonNull(ended, "ended is null");
        this.trips = new StoreReadSteps(storeReads, this::closeCursor);
        this.remaining = ticket.limit().orElse(Long.MAX_VALUE);
    }

    /**
     * Opens the fragment, whose reads are in the account of the present thread; returns the edge
     * from which its batches are pulled.
     *
     * @param context of this fragment alone
     * @param opener opens the cursor; called again in the pool of reads if it must wait
     * @param storeReads runs reads that wait for the store; throws to refuse
     * @param ended called once, when the fragment has released everything
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
        fragment.trips.returnTo(edge);
        return edge;
    }

    @Override
    public Produced<ScanBatch> next(YieldSignal signal) throws Exception {
        return account.call(() -> nextInAccount(signal));
    }

    private Produced<ScanBatch> nextInAccount(YieldSignal signal) throws Exception {
        trips.check();
        try {
            return NonBlocking.read(() -> advance(signal));
        } catch (WouldBlockException mustWait) {
            trips.begin(this::readAway);
            return new Produced.Waiting<>();
        }
    }

    @Override
    public void close() {
        trips.close();
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

    private void readAway() throws IOException {
        RowCursor open = cursor;
        if (open == null) {
            cursor = opener.read();
        } else {
            stepAway = open.step();
        }
    }

    private void closeCursor() throws IOException {
        RowCursor open = cursor;
        cursor = null;
        try {
            if (open != null) {
                open.close();
            }
        } finally {
            ended.run();
        }
    }
}
