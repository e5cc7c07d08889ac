package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.engine.aggregate.AggregatePass;
import io.stele.engine.aggregate.AggregateScan;
import io.stele.engine.aggregate.GroupRange;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.scheduler.ExecutionContext;
import io.stele.scheduler.fragment.Edge;
import io.stele.sidecar.scheduling.QueryRead;
import io.stele.sidecar.scheduling.SharedResults;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The execution of an aggregation for a DoGet, on several execution contexts of one query; it sends
 * the results to the client. Confined to the thread of the call.
 */
final class AggregateFragments {
    private static final int MAX_BATCH_ROWS = 1 << 16;

    /**
     * Parallel workers of an aggregation that reads files over a network, unless there are more
     * processors: a quarter of the concurrent reads of a sidecar, since lookups need some too. A
     * file is one or two waits for the store and some hundred milliseconds of decoding.
     */
    private static final int MAX_PARALLEL = 8;

    private final AggregateScan scan;
    private final QueryRead read;
    private final SharedResults sharedResults;
    private final Executor storeReads;
    private final int workers;
    private int maxParallel;

    /**
     * @param workers parts that are computed at once
     * @param isRemote whether parts wait for a network, so that others are read meanwhile
     */
    AggregateFragments(
            AggregateScan scan,
            QueryRead read,
            SharedResults sharedResults,
            Executor storeReads,
            int workers,
            boolean isRemote) {
        this.scan = requireNonNull(scan, "scan is null");
        this.read = requireNonNull(read, "read is null");
        this.sharedResults = requireNonNull(sharedResults, "sharedResults is null");
        this.storeReads = requireNonNull(storeReads, "storeReads is null");
        this.workers = workers;
        this.maxParallel =
                isRemote ? Math.max(workers, Math.min(4 * workers, MAX_PARALLEL)) : workers;
    }

    /**
     * Computes the results, in as many passes as they need, and sends the schema and then the
     * results of each pass.
     *
     * @param batchBytes approximate size of a message
     * @return how many rows were sent
     */
    long send(String name, OutboundStream<FlightData> stream, long batchBytes) {
        List<ArrowField> fields = ArrowSchemas.fields(scan.resultColumns());
        ArrowBatchEncoder encoder =
                ArrowBatchEncoder.forRows(fields, RowLayout.of(scan.resultColumns()));
        boolean isFirst = true;
        long sent = 0;
        // A split divides the groups and adds at most seven ranges; it is repeated until they fit
        // into memory
        Deque<GroupRange> left = new ArrayDeque<>(List.of(GroupRange.ALL));
        while (!left.isEmpty()) {
            GroupRange groups = left.pop();
            AggregatePass pass = scan.pass(groups, workers);
            compute(pass, name, stream);
            if (pass.isCrowded()) {
                maxParallel = workers;
                left.push(groups);
                continue;
            }
            if (pass.isTooLarge()) {
                groups.split().forEach(left::push);
                continue;
            }
            if (isFirst) {
                isFirst = false;
                stream.send(
                        FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields)))
                                .withAppMetadata(ApiJson.write(scan.cachedResultUse())));
            }
            sent += send(pass, encoder, stream, batchBytes);
        }
        return sent;
    }

    /** Computes all parts; the wait ends early if the client cancels. */
    private void compute(AggregatePass pass, String name, OutboundStream<FlightData> stream) {
        int parallel = Math.min(maxParallel, pass.partCount());
        AggregateWorker.Sharing sharing =
                new AggregateWorker.Sharing(sharedResults, read, Math.max(1, parallel));
        List<ExecutionContext> contexts = new ArrayList<>();
        List<Edge<AggregateWorker.Nothing>> edges = new ArrayList<>();
        for (int worker = 0; worker < parallel; worker++) {
            ExecutionContext context = read.scanContext(name + " worker " + worker);
            contexts.add(context);
            edges.add(AggregateWorker.open(context, pass, sharing, storeReads));
        }
        try {
            var ends = edges.stream().map(Edge::pull).toList();
            for (int worker = 0; worker < parallel; worker++) {
                stream.await(ends.get(worker), edges.get(worker)::cancel);
            }
        } finally {
            edges.forEach(Edge::cancel);
            contexts.forEach(ExecutionContext::join);
        }
    }

    private long send(
            AggregatePass pass,
            ArrowBatchEncoder encoder,
            OutboundStream<FlightData> stream,
            long batchBytes) {
        RowLayout layout = RowLayout.of(scan.resultColumns());
        RowEncoder row = new RowEncoder(layout);
        BinaryRow view = new BinaryRow(layout);
        int count = pass.resultCount();
        for (int index = 0; index < count; index++) {
            pass.result(index, row);
            encoder.append(view.wrap(row.array(), 0, row.finish()));
            boolean isFull =
                    encoder.rowCount() == MAX_BATCH_ROWS || encoder.sizeBytes() >= batchBytes;
            if (isFull || index == count - 1) {
                ArrowMessage message = encoder.finish();
                stream.send(FlightData.of(message.header(), message.body()));
            }
        }
        return count;
    }
}
