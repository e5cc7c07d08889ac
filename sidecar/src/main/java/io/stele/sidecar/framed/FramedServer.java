package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.airlift.node.NodeInfo;
import io.stele.sidecar.action.ActionHandlers;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.auth.SecurityConfig;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.metrics.IngestMetrics;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.statement.SlowStatementLog;
import io.stele.sidecar.tls.TlsIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The server of the framed protocol: it listens, and serves each connection on virtual threads. A
 * bounded number of the connections that open tables have a platform thread instead. Connections
 * whose HELLO has not arrived have a few places of their own and a deadline. Beyond the limit of
 * connections a HELLO is answered with BUSY.
 *
 * <p>Thread-safe; started and closed once.
 */
public final class FramedServer implements AutoCloseable {
    private static final Logger log = Logger.get(FramedServer.class);

    private static final int BACKLOG = 128;
    // The most that two coordinators use; they pool fewer.
    private static final int MAX_OWN_THREADS = 64;
    // Longer than any pause of a living client; its unread replies hold memory meanwhile.
    private static final Duration STALL_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration WATCH_INTERVAL = Duration.ofSeconds(5);

    private final FramedConfig config;
    private final InetAddress address;
    private final Optional<TlsIdentity> tls;
    private final ThreadFactory threads = Thread.ofVirtual().name("framed-", 0).factory();
    private final FramedServerContext context;
    private final Set<FramedConnection> connections = ConcurrentHashMap.newKeySet();
    private @Nullable ServerSocket listener;
    private @Nullable Thread watcher;

    @Inject
    public FramedServer(
            FramedConfig config,
            NodeInfo node,
            Optional<TlsIdentity> tls,
            Authenticator authenticator,
            SecurityConfig security,
            EngineService engine,
            ActionHandlers actions,
            AccessMetrics metrics,
            IngestMetrics ingestMetrics,
            ReadMetrics readMetrics,
            SlowStatementLog slowLookups,
            ReplyBudget replies) {
        this.config = requireNonNull(config, "config is null");
        this.address = node.getBindIp();
        this.tls = requireNonNull(tls, "tls is null");
        this.context =
                new FramedServerContext(
                        node.getNodeId(),
                        authenticator,
                        new PendingLogins(
                                PendingLogins.MAX_PENDING,
                                security.getLoginTimeout().toJavaTime(),
                                metrics),
                        new Semaphore(config.getMaxConnections()),
                        config.getMaxConnections(),
                        metrics,
                        new RequestHandler(
                                engine,
                                actions,
                                metrics,
                                ingestMetrics,
                                readMetrics,
                                slowLookups,
                                replies,
                                threads),
                        new PendingLimits(config.getMaxPendingBytes().toBytes()),
                        () -> engine.engine().writeRoom(),
                        replies,
                        config.getMaxPendingRequests(),
                        new Semaphore(MAX_OWN_THREADS),
                        threads);
    }

    /**
     * Begins to listen.
     *
     * @throws UncheckedIOException when the port cannot be taken; the message names the property
     */
    public synchronized void start() {
        ServerSocket socket = listen();
        listener = socket;
        // Platform threads: accepting must not wait behind busy virtual threads.
        Thread.ofPlatform().daemon().name("framed-accept").start(() -> acceptAll(socket));
        watcher = Thread.ofPlatform().daemon().name("framed-watch").start(this::watch);
    }

    private ServerSocket listen() {
        InetSocketAddress endpoint = new InetSocketAddress(address, config.getPort());
        try {
            ServerSocket socket =
                    tls.isPresent()
                            ? tls.get().sslContext().getServerSocketFactory().createServerSocket()
                            : new ServerSocket();
            try {
                socket.setReuseAddress(true);
                socket.bind(endpoint, BACKLOG);
                return socket;
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "stele.client.port: expected a free port, found "
                            + e.getMessage()
                            + " at "
                            + endpoint,
                    e);
        }
    }

    /** The port in use. */
    public synchronized int port() {
        return requireNonNull(listener, "not started").getLocalPort();
    }

    /** Bytes of requests announced and not yet answered. */
    public long pendingBytes() {
        return context.pending().pendingBytes();
    }

    /** Bytes of replies that are being made, or that their clients have not yet received. */
    public long replyBytes() {
        return context.replies().usedBytes();
    }

    /** The number of replies that wait for room. */
    public long waitingReplies() {
        return context.replies().waitingCount();
    }

    private void acceptAll(ServerSocket socket) {
        while (true) {
            try {
                Socket client = socket.accept();
                threads.newThread(() -> admit(client)).start();
            } catch (SocketException e) {
                // Closed by close(); nothing else ends an accept that way.
                if (socket.isClosed()) {
                    return;
                }
                log.warn(e, "Cannot accept a connection");
            } catch (IOException | RuntimeException e) {
                log.warn(e, "Cannot accept a connection");
            }
        }
    }

    private void admit(Socket client) {
        try (client) {
            serve(client);
        } catch (IOException | RuntimeException e) {
            log.debug(e, "Cannot serve %s", client.getRemoteSocketAddress());
        }
    }

    private void serve(Socket client) throws IOException {
        client.setTcpNoDelay(true);
        client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        try (FramedConnection connection = new FramedConnection(client, context)) {
            connections.add(connection);
            try {
                connection.serve();
            } finally {
                connections.remove(connection);
            }
        }
    }

    private void watch() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(WATCH_INTERVAL);
                long nowNanos = System.nanoTime();
                connections.forEach(
                        connection -> {
                            connection.closeIfStalled(STALL_TIMEOUT.toNanos());
                            connection.closeIfSlow(nowNanos);
                        });
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops listening, waits that long for the requests accepted, then closes every connection. */
    public void drain(Duration timeout) {
        stopListening();
        List<Thread> drains = new ArrayList<>();
        for (FramedConnection connection : connections) {
            drains.add(Thread.startVirtualThread(() -> connection.drain(timeout.toNanos())));
        }
        for (Thread drain : drains) {
            try {
                drain.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private synchronized void stopListening() {
        if (watcher != null) {
            watcher.interrupt();
        }
        if (listener != null) {
            try {
                listener.close();
            } catch (IOException e) {
                log.warn(e, "Cannot close the listener");
            }
        }
    }

    @Override
    public void close() {
        drain(Duration.ZERO);
    }
}
