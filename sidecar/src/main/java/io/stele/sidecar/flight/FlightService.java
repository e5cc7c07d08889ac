package io.stele.sidecar.flight;

import static io.grpc.stub.ServerCalls.asyncBidiStreamingCall;
import static io.grpc.stub.ServerCalls.asyncServerStreamingCall;
import static io.grpc.stub.ServerCalls.asyncUnaryCall;
import static io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.grpc.ServerServiceDefinition;
import io.stele.engine.node.WriteRoom;
import io.stele.protocol.flight.FlightMethods;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.action.ActionHandlers;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.SidecarAggregateCache;
import io.stele.sidecar.flight.sql.FlightSqlService;
import io.stele.sidecar.flight.sql.SqlActions;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.metrics.IngestMetrics;
import io.stele.sidecar.metrics.ReadMetrics;
import java.util.concurrent.ThreadFactory;

/**
 * The gRPC service of Arrow Flight, which passes each method to its implementation; all methods but
 * DoExchange. Thread safe.
 */
public final class FlightService {
    private final EngineService engine;
    private final HandshakeService handshakes;
    private final MetadataWatches watches;
    private final ActionService actions;
    private final FlightCatalog catalog;
    private final GetService gets;
    private final PutService puts;
    private final FlightSqlService sql;

    @Inject
    public FlightService(
            FlightConfig config,
            Authenticator authenticator,
            AccessControl access,
            EngineService engine,
            AccessMetrics metrics,
            IngestMetrics ingest,
            ReadMetrics reads,
            SidecarAggregateCache aggregateCache,
            FlightSqlService sql,
            ActionHandlers handlers) {
        this.engine = requireNonNull(engine, "engine is null");
        this.sql = requireNonNull(sql, "sql is null");
        ThreadFactory threads = Thread.ofVirtual().name("flight-get-", 0).factory();
        this.handshakes = new HandshakeService(authenticator);
        this.watches =
                new MetadataWatches(
                        since -> engine.engine().metadataChanges(since),
                        Thread.ofVirtual().name("flight-watch-", 0).factory());
        this.actions =
                new ActionService(
                        access,
                        handlers,
                        watches,
                        metrics,
                        new SqlActions(sql),
                        config.getStalledStreamTimeout().toJavaTime());
        this.catalog =
                new FlightCatalog(
                        engine,
                        access,
                        sql,
                        config.getStalledStreamTimeout().toJavaTime(),
                        Thread.ofVirtual().name("flight-list-", 0).factory());
        this.gets =
                new GetService(config, engine, access, reads, aggregateCache.cache(), sql, threads);
        this.puts =
                new PutService(
                        config,
                        engine,
                        access,
                        ingest,
                        sql,
                        Thread.ofVirtual().name("flight-put-", 0).factory());
    }

    /**
     * As {@link PutService#endSlowStreams} and {@link ActionService#endUntaken}; also closes
     * expired objects of Flight SQL clients.
     */
    void endSlowClients(long nowNanos) {
        puts.endSlowStreams(nowNanos);
        actions.endUntaken(nowNanos);
        sql.expire();
    }

    /** An empty room in the engine's budget of received bytes. */
    WriteRoom writeRoom() {
        return engine.engine().writeRoom();
    }

    /** Ends the streams that do not end by themselves. */
    void endWatches() {
        watches.close();
    }

    /** Closes all objects that clients of Flight SQL have left open. */
    void closeSql() {
        sql.close();
    }

    ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(FlightMethods.SERVICE)
                .addMethod(FlightMethods.HANDSHAKE, asyncBidiStreamingCall(handshakes::handshake))
                .addMethod(
                        FlightMethods.LIST_FLIGHTS, asyncServerStreamingCall(catalog::listFlights))
                .addMethod(FlightMethods.GET_FLIGHT_INFO, asyncUnaryCall(catalog::getFlightInfo))
                .addMethod(FlightMethods.GET_SCHEMA, asyncUnaryCall(catalog::getSchema))
                .addMethod(FlightMethods.DO_GET, asyncServerStreamingCall(gets::doGet))
                .addMethod(FlightMethods.DO_PUT, asyncBidiStreamingCall(puts::doPut))
                .addMethod(FlightMethods.DO_ACTION, asyncServerStreamingCall(actions::doAction))
                .addMethod(
                        FlightMethods.LIST_ACTIONS, asyncServerStreamingCall(actions::listActions))
                .addMethod(
                        FlightMethods.DO_EXCHANGE,
                        asyncBidiStreamingCall(
                                responses ->
                                        asyncUnimplementedStreamingCall(
                                                FlightMethods.DO_EXCHANGE, responses)))
                .build();
    }
}
