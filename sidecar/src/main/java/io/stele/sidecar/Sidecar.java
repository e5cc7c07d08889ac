package io.stele.sidecar;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.http.server.HttpServerInfo;
import io.airlift.log.Logger;
import io.airlift.node.NodeInfo;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.SchedulingGroupMBeans;
import io.stele.sidecar.engine.SidecarAggregateCache;
import io.stele.sidecar.engine.SidecarDataCache;
import io.stele.sidecar.flight.FlightServer;
import io.stele.sidecar.framed.FramedServer;
import io.stele.sidecar.postgresql.PostgresServer;
import io.stele.sidecar.process.ServingState;
import io.stele.sidecar.process.ServingState.Ports;
import jakarta.annotation.PreDestroy;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * The start and the stop, in order, of the parts of a sidecar process: engine, caches, framed
 * server, Flight server, PostgreSQL's protocol and ports file. The stop ends accepted work before
 * it closes the engine.
 *
 * <p>Guarded by its own lock; {@link #stop} may come from the shutdown hook of the JVM.
 */
final class Sidecar {
    private static final Logger log = Logger.get(Sidecar.class);

    private static final Duration FAILED_TIMEOUT = Duration.ofSeconds(3);

    private final NodeInfo node;
    private final HttpServerInfo http;
    private final ServingState state;
    private final EngineService engine;
    private final SidecarDataCache dataCache;
    private final SidecarAggregateCache aggregateCache;
    private final SchedulingGroupMBeans schedulingGroups;
    private final FramedServer framed;
    private final FlightServer flight;
    private final PostgresServer postgres;
    private final Optional<PortsFile> portsFile;
    private final Duration shutdownTimeout;
    private boolean stopped;

    @Inject
    Sidecar(
            SidecarConfig config,
            NodeInfo node,
            HttpServerInfo http,
            ServingState state,
            EngineService engine,
            SidecarDataCache dataCache,
            SidecarAggregateCache aggregateCache,
            SchedulingGroupMBeans schedulingGroups,
            FramedServer framed,
            FlightServer flight,
            PostgresServer postgres) {
        this.node = requireNonNull(node, "node is null");
        this.http = requireNonNull(http, "http is null");
        this.state = requireNonNull(state, "state is null");
        this.engine = requireNonNull(engine, "engine is null");
        this.dataCache = requireNonNull(dataCache, "dataCache is null");
        this.aggregateCache = requireNonNull(aggregateCache, "aggregateCache is null");
        this.schedulingGroups = requireNonNull(schedulingGroups, "schedulingGroups is null");
        this.framed = requireNonNull(framed, "framed is null");
        this.flight = requireNonNull(flight, "flight is null");
        this.postgres = requireNonNull(postgres, "postgres is null");
        this.portsFile = config.getPortsFile().map(file -> new PortsFile(file.toPath()));
        this.shutdownTimeout = config.getShutdownTimeout().toJavaTime();
    }

    /** Recovers the engine and opens the ports; returns when all requests are served. */
    synchronized Ports start() {
        engine.open();
        dataCache.defaultFolder().ifPresent(aggregateCache::deleteUnencrypted);
        aggregateCache.keepIn(engine.engine().history(), dataCache.folder());
        schedulingGroups.export();
        framed.start();
        flight.start();
        postgres.start();
        Ports ports = new Ports(httpUri().getPort(), flight.port(), framed.port(), postgres.port());
        state.serving(ports);
        portsFile.ifPresent(file -> file.write(node.getNodeId(), ports));
        log.info(
                "Stele sidecar %s serves: HTTP %d, Flight %d, framed %d%s",
                node.getNodeId(),
                ports.httpPort(),
                ports.flightPort(),
                ports.clientPort(),
                ports.postgresqlPort().isPresent()
                        ? ", PostgreSQL " + ports.postgresqlPort().getAsInt()
                        : "");
        return ports;
    }

    /** The address of the HTTP server: https when TLS is on. */
    URI httpUri() {
        URI https = http.getHttpsUri();
        return https == null ? http.getHttpUri() : https;
    }

    /**
     * Closes the ports, waits for accepted work to finish, then closes the engine. Nothing is
     * flushed, because the log has every acknowledged write.
     */
    @PreDestroy
    synchronized void stop() {
        if (stopped) {
            return;
        }
        stopped = true;
        portsFile.ifPresent(PortsFile::delete);
        Duration timeout = drainTimeout();
        Thread draining = Thread.startVirtualThread(() -> flight.drain(timeout));
        Thread drainingPostgres = Thread.startVirtualThread(() -> postgres.drain(timeout));
        framed.drain(timeout);
        join(draining);
        join(drainingPostgres);
        state.stopping();
        flight.close();
        postgres.close();
        engine.close();
    }

    /**
     * The time for accepted work at the stop. A failed engine fails writes immediately, so only
     * reads need some time.
     */
    private Duration drainTimeout() {
        return engine.hasFailed() && shutdownTimeout.compareTo(FAILED_TIMEOUT) > 0
                ? FAILED_TIMEOUT
                : shutdownTimeout;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
