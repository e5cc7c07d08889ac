package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.PutResult;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.metrics.IngestMetrics;

/** DoPut: batches of rows on their way into tables and transactions. Thread safe. */
final class PutService {
    private final EngineService engine;
    private final IngestMetrics metrics;
    private final int maxPendingBatches;

    PutService(FlightConfig config, EngineService engine, IngestMetrics metrics) {
        this.engine = requireNonNull(engine, "engine is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.maxPendingBatches = config.getMaxPendingBatches();
    }

    StreamObserver<FlightData> doPut(StreamObserver<PutResult> results) {
        return new PutStream(
                (ServerCallStreamObserver<PutResult>) results,
                first -> PutSession.open(engine, first, metrics),
                maxPendingBatches);
    }
}
