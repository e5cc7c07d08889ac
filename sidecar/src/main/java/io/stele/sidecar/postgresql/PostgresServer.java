package io.stele.sidecar.postgresql;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.airlift.node.NodeInfo;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.auth.PasswordFile;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.auth.SecurityConfig;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.postgresql.auth.PostgresUsers;
import io.stele.sidecar.postgresql.catalog.CatalogQueries;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.session.StatementPreparer;
import io.stele.sidecar.postgresql.trino.TrinoGateway;
import io.stele.sidecar.process.Version;
import io.stele.sidecar.statement.StatementStatistics;
import io.stele.sidecar.tls.TlsIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server of PostgreSQL's protocol, if a port is set: it listens, and serves each client on a
 * virtual thread. Thread-safe; started and closed once.
 */
public final class PostgresServer implements AutoCloseable {
    private static final Logger log = Logger.get(PostgresServer.class);

    private static final int BACKLOG = 128;
    private static final long STALL_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long IDLE_IN_BLOCK_NANOS = Duration.ofMinutes(10).toNanos();
    private static final Duration WATCH_INTERVAL = Duration.ofSeconds(5);
    private static final int KIB = 1 << 10;
    private static final Duration DRAIN_STEP = Duration.ofMillis(20);

    private final PostgresConfig config;
    private final InetAddress address;
    private final PostgresServerContext context;
    private final CatalogQueries catalogQueries;
    private final Optional<TrinoGateway> trino;
    private final ThreadFactory threads = Thread.ofVirtual().name("postgresql-", 0).factory();
    private final Set<PostgresConnection> connections = ConcurrentHashMap.newKeySet();
    private @Nullable ServerSocket listener;
    private @Nullable Thread watcher;

    @Inject
    public PostgresServer(
            PostgresConfig config,
            NodeInfo node,
            Optional<TlsIdentity> tls,
            Authenticator authenticator,
            SecurityConfig security,
            AccessMetrics metrics,
            PlanExecutor executor,
            StatementPreparer preparer,
            Optional<TrinoGateway> trino,
            Optional<PasswordFile> users,
            StatementStatistics statistics,
            Clock clock) {
        this.config = requireNonNull(config, "config is null");
        checkArgument(
                config.getMaxMessageSize().compareTo(config.getMaxPendingSize()) <= 0,
                "Expected stele.postgresql.max-message-size of at most"
                        + " stele.postgresql.max-pending-size, found %s and %s",
                config.getMaxMessageSize(),
                config.getMaxPendingSize());
        this.address = node.getBindIp();
        this.catalogQueries = preparer.catalogQueries();
        this.trino = trino;
        SecureRandom random = new SecureRandom();
        this.context =
                new PostgresServerContext(
                        config,
                        Version.current(),
                        tls,
                        users.map(file -> PostgresUsers.ofFile(file, random, authenticator))
                                .orElseGet(
                                        () ->
                                                PostgresUsers.withSecret(
                                                        security.getSharedSecret(),
                                                        random,
                                                        authenticator)),
                        new PendingLogins(
                                PendingLogins.MAX_PENDING,
                                security.getLoginTimeout().toJavaTime(),
                                metrics),
                        new Semaphore(config.getMaxConnections()),
                        new Semaphore(
                                Math.toIntExact(config.getMaxPendingSize().toBytes() / KIB), true),
                        metrics,
                        executor,
                        preparer,
                        trino,
                        statistics,
                        new CancelKeys(random),
                        clock,
                        System::nanoTime);
    }

    /**
     * Begins to listen, if a port is set.
     *
     * @throws UncheckedIOException when the port cannot be taken; the message names the property
     */
    public synchronized void start() {
        if (config.getPort().isEmpty()) {
            return;
        }
        ServerSocket socket = listen(config.getPort().get());
        listener = socket;
        Thread.ofPlatform().daemon().name("postgresql-accept").start(() -> acceptAll(socket));
        watcher = Thread.ofPlatform().daemon().name("postgresql-watch").start(this::watch);
    }

    private ServerSocket listen(int port) {
        InetSocketAddress endpoint = new InetSocketAddress(address, port);
        try {
            ServerSocket socket = new ServerSocket();
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
                    "stele.postgresql.port: expected a free port, found "
                            + e.getMessage()
                            + " at "
                            + endpoint,
                    e);
        }
    }

    /** The port in use, if there is one. */
    public synchronized OptionalInt port() {
        return listener == null ? OptionalInt.empty() : OptionalInt.of(listener.getLocalPort());
    }

    private void acceptAll(ServerSocket socket) {
        while (true) {
            try {
                Socket client = socket.accept();
                threads.newThread(() -> admit(client)).start();
            } catch (SocketException e) {
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
            client.setTcpNoDelay(true);
            client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            try (PostgresConnection connection = new PostgresConnection(client, context)) {
                connections.add(connection);
                try {
                    connection.serve();
                } finally {
                    connections.remove(connection);
                }
            }
        } catch (IOException | RuntimeException e) {
            log.debug(e, "Cannot serve %s", client.getRemoteSocketAddress());
        }
    }

    private void watch() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(WATCH_INTERVAL);
                long nowNanos = System.nanoTime();
                connections.forEach(
                        connection -> {
                            connection.closeIfStalled(nowNanos, STALL_NANOS);
                            connection.closeIfSlow(nowNanos);
                            connection.closeIfIdleInBlock(nowNanos, IDLE_IN_BLOCK_NANOS);
                        });
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops listening, waits that long for statements to end, then closes every connection. */
    public void drain(Duration timeout) {
        stopListening();
        connections.forEach(PostgresConnection::drain);
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            while (!connections.isEmpty() && System.nanoTime() - deadline < 0) {
                TimeUnit.NANOSECONDS.sleep(DRAIN_STEP.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connections.forEach(PostgresConnection::close);
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
        catalogQueries.close();
        trino.ifPresent(TrinoGateway::close);
    }
}
