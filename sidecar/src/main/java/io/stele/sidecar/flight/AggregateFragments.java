package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

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
import io.stele.sidecar.scheduling.QueryGroup;
import io.stele.storage.aggregate.AggregateScan;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Computes an aggregation on several execution contexts of one scheduling group, and sends what
 * comes out. Confined to the thread of the call.
 */
final class AggregateFragments {
    private static final int MAX_BATCH_ROWS = 1 << 16;

    private final AggregateScan scan;
    private final QueryGroup group;
    private final Executor storeReads;
    private final int maxLanes;

    /**
     * @param maxLanes most parts computed at once
     */
    AggregateFragments(AggregateScan scan, QueryGroup group, Executor storeReads, int maxLanes) {
        this.scan = requireNonNull(scan, "scan is null");
        this.group = requireNonNull(group, "group is null");
        this.storeReads = requireNonNull(storeReads, "storeReads is null");
        this.maxLanes = maxLanes;
    }

    /** Computes all parts; whoever awaits them may be told to stop by the client. */
    void run(String name, OutboundStream<FlightData> stream) {
        int lanes = Math.min(maxLanes, scan.partCount());
        List<ExecutionContext> contexts = new ArrayList<>();
        List<Edge<AggregateLane.Nothing>> edges = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++) {
            ExecutionContext context = group.scanContext(name + " lane " + lane);
            contexts.add(context);
            edges.add(AggregateLane.open(context, scan, storeReads));
        }
        try {
            var ends = edges.stream().map(Edge::pull).toList();
            for (int lane = 0; lane < lanes; lane++) {
                stream.await(ends.get(lane), edges.get(lane)::cancel);
            }
        } finally {
            edges.forEach(Edge::cancel);
            contexts.forEach(ExecutionContext::join);
        }
    }

    /**
     * Sends the schema and the results.
     *
     * @param batchBytes about the size of a message
     * @return how many rows were sent
     */
    long send(OutboundStream<FlightData> stream, long batchBytes) {
        List<ArrowField> fields = ArrowSchemas.fields(scan.resultColumns());
        RowLayout layout = RowLayout.of(scan.resultColumns());
        stream.send(
                FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields)))
                        .withAppMetadata(ApiJson.write(scan.fragmentUse())));
        ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(fields, layout);
        RowEncoder row = new RowEncoder(layout);
        BinaryRow view = new BinaryRow(layout);
        int count = scan.resultCount();
        for (int index = 0; index < count; index++) {
            scan.result(index, row);
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
