package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.engine.node.WriteRoom;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.flight.PutResult;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.flight.call.AuthenticationInterceptor;
import io.stele.sidecar.flight.call.PutRoomTracer;
import io.stele.sidecar.flight.sql.FlightSqlService;
import io.stele.sidecar.flight.sql.SqlMessages;
import io.stele.sidecar.metrics.IngestMetrics;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * The implementation of Flight's DoPut, which opens streams of row batches into tables and
 * transactions, or for commands of Flight SQL. Thread safe.
 */
final class PutService {
    private final EngineService engine;
    private final AccessControl access;
    private final IngestMetrics metrics;
    private final FlightSqlService sql;
    private final int maxPendingBatches;
    private final ThreadFactory threads;
    private final Set<PutStream> streams = ConcurrentHashMap.newKeySet();

    /**
     * @param threads starts the threads that continue a stream
     */
    PutService(
            FlightConfig config,
            EngineService engine,
            AccessControl access,
            IngestMetrics metrics,
            FlightSqlService sql,
            ThreadFactory threads) {
        this.sql = requireNonNull(sql, "sql is null");
        this.access = requireNonNull(access, "access is null");
        this.engine = requireNonNull(engine, "engine is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.maxPendingBatches = config.getMaxPendingBatches();
        this.threads = requireNonNull(threads, "threads is null");
    }

    StreamObserver<FlightData> doPut(StreamObserver<PutResult> results) {
        PutRoomTracer room = requireNonNull(PutRoomTracer.KEY.get(), "the stream is not counted");
        WriteRoom ofEngine;
        try {
            ofEngine = engine.engine().writeRoom();
        } catch (SteleException notOpen) {
            results.onError(CallFailures.describe("DoPut", notOpen));
            return new Ignored();
        }
        PutStream stream =
                PutStream.start(
                        (ServerCallStreamObserver<PutResult>) results,
                        this::open,
                        room,
                        ofEngine,
                        maxPendingBatches,
                        threads,
                        streams::remove);
        streams.add(stream);
        if (room.isEnded()) {
            streams.remove(stream);
        }
        return stream;
    }

    private PutReceiver open(FlightData first) {
        Optional<byte[]> command =
                first.descriptor()
                        .filter(found -> found.kind() == FlightDescriptor.Kind.COMMAND)
                        .map(FlightDescriptor::command)
                        .filter(SqlMessages::isSql);
        return command.isPresent()
                ? SqlPutReceiver.open(sql, command.get(), first)
                : PutSession.open(engine, access, AuthenticationInterceptor.user(), first, metrics);
    }

    /** Ends the streams whose clients send a batch so slowly that others lack its memory. */
    void endSlowStreams(long nowNanos) {
        streams.forEach(stream -> stream.failIfSlow(nowNanos));
    }

    /** A receiver that ignores the rest of a failed stream. */
    private static final class Ignored implements StreamObserver<FlightData> {
        @Override
        public void onNext(FlightData message) {}

        @Override
        public void onError(Throwable cancelled) {}

        @Override
        public void onCompleted() {}
    }
}
