package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.airlift.node.NodeInfo;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptors;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.auth.SecurityConfig;
import io.stele.sidecar.flight.call.AuthenticationInterceptor;
import io.stele.sidecar.flight.call.FlightConnections;
import io.stele.sidecar.flight.call.HandshakeSizeTracer;
import io.stele.sidecar.flight.call.LimitInterceptor;
import io.stele.sidecar.flight.call.PutRoomTracer;
import io.stele.sidecar.flight.call.QueryIdentityInterceptor;
import io.stele.sidecar.flight.call.ReadLsnInterceptor;
import io.stele.sidecar.flight.call.RequestRoomInterceptor;
import io.stele.sidecar.flight.call.RequestRoomTracer;
import io.stele.sidecar.flight.call.SqlCallerInterceptor;
import io.stele.sidecar.flight.call.StatementIdInterceptor;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.tls.TlsIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The Flight server: gRPC on Netty, each call on virtual threads. Thread safe; started and closed
 * once.
 */
public final class FlightServer implements AutoCloseable {
    private static final Logger log = Logger.get(FlightServer.class);

    // A proxy or firewall in between drops silent connections; a dead client is found within a
    // minute.
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(40);
    // 8 MiB: a bulk stream stays busy over a 10 Gbit/s link of 6 ms.
    private static final int FLOW_CONTROL_BYTES = 8 << 20;
    private static final Duration WATCH_INTERVAL = Duration.ofSeconds(5);

    private final FlightConfig config;
    private final InetAddress address;
    private final Optional<TlsIdentity> tls;
    private final Authenticator authenticator;
    private final Duration loginTimeout;
    private final AccessMetrics metrics;
    private final FlightService service;
    private final ThreadFactory threads = Thread.ofVirtual().name("flight-", 0).factory();
    private @Nullable Server server;
    private @Nullable EventLoops eventLoops;
    private @Nullable Thread watcher;

    @Inject
    public FlightServer(
            FlightConfig config,
            NodeInfo node,
            Optional<TlsIdentity> tls,
            Authenticator authenticator,
            SecurityConfig security,
            AccessMetrics metrics,
            FlightService service) {
        this.config = requireNonNull(config, "config is null");
        this.address = node.getBindIp();
        this.tls = requireNonNull(tls, "tls is null");
        this.authenticator = requireNonNull(authenticator, "authenticator is null");
        this.loginTimeout = security.getLoginTimeout().toJavaTime();
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.service = requireNonNull(service, "service is null");
    }

    /**
     * Begins to listen.
     *
     * @throws UncheckedIOException when the port cannot be taken; the message names the property
     */
    public synchronized void start() {
        InetSocketAddress endpoint = new InetSocketAddress(address, config.getPort());
        ServerCredentials credentials =
                tls.isPresent()
                        ? TlsServerCredentials.newBuilder()
                                .keyManager(tls.get().keyManagers())
                                .build()
                        : InsecureServerCredentials.create();
        EventLoops loops = EventLoops.start();
        boolean started = false;
        try {
            server = build(endpoint, credentials, loops).start();
            eventLoops = loops;
            watcher = Thread.ofPlatform().daemon().name("flight-watch").start(this::watch);
            started = true;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "stele.flight.port: expected a free port, found "
                            + e.getMessage()
                            + " at "
                            + endpoint,
                    e);
        } finally {
            if (!started) {
                loops.close();
            }
        }
    }

    private Server build(
            InetSocketAddress endpoint, ServerCredentials credentials, EventLoops loops) {
        PendingLogins logins = new PendingLogins(PendingLogins.MAX_PENDING, loginTimeout, metrics);
        // Twice the time, so that a login in progress ends by its own call, which returns the
        // reason
        PendingLogins strangers =
                new PendingLogins(PendingLogins.MAX_PENDING, loginTimeout.multipliedBy(2), metrics);
        FlightConnections connections =
                new FlightConnections(config.getMaxConnections(), strangers, metrics);
        return NettyServerBuilder.forAddress(endpoint, credentials)
                .bossEventLoopGroup(loops.listening())
                .workerEventLoopGroup(loops.serving())
                .channelFactory(() -> loops.listenWith(connections))
                .executor(task -> threads.newThread(task).start())
                .maxInboundMessageSize(Math.toIntExact(config.getMaxMessageSize().toBytes()))
                .maxConcurrentCallsPerConnection(config.getMaxStreamsPerConnection())
                .flowControlWindow(FLOW_CONTROL_BYTES)
                .keepAliveTime(KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
                .permitKeepAliveTime(10, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                // Of TLS and HTTP/2, before any call
                .handshakeTimeout(loginTimeout.toMillis(), TimeUnit.MILLISECONDS)
                .addStreamTracerFactory(new HandshakeSizeTracer.Factory())
                .addStreamTracerFactory(new PutRoomTracer.Factory())
                .addStreamTracerFactory(new RequestRoomTracer.Factory())
                .addService(
                        ServerInterceptors.interceptForward(
                                service.definition(),
                                new AuthenticationInterceptor(authenticator, logins, connections),
                                new LimitInterceptor(config.getMaxStreams(), metrics),
                                new RequestRoomInterceptor(service::writeRoom, connections),
                                new ReadLsnInterceptor(),
                                new QueryIdentityInterceptor(),
                                new ReadCountersInterceptor(),
                                new SqlCallerInterceptor(),
                                new StatementIdInterceptor()))
                .build();
    }

    /** The port in use. */
    public synchronized int port() {
        return requireNonNull(server, "not started").getPort();
    }

    private void watch() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(WATCH_INTERVAL);
                service.endSlowClients(System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Accepts no further calls, waits that long for the present ones, then cancels the rest. */
    public synchronized void drain(Duration timeout) {
        if (server == null) {
            return;
        }
        server.shutdown();
        service.endWatches();
        requireNonNull(watcher, "not started").interrupt();
        try {
            if (!server.awaitTermination(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                log.info("Cancelling Flight calls that did not end within %s", timeout);
                server.shutdownNow();
                server.awaitTermination(5, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        } finally {
            requireNonNull(eventLoops, "not started").close();
            service.closeSql();
        }
    }

    @Override
    public void close() {
        drain(Duration.ZERO);
    }
}
