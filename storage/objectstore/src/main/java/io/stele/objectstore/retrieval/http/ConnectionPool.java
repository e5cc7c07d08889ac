package io.stele.objectstore.retrieval.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The pool of one event loop's HTTP connections, busy and idle, which opens and reuses connections
 * and closes them after timeouts. Confined to its event loop.
 */
final class ConnectionPool implements HttpConnection.Owner {
    /** S3 closes connections that are idle for longer. */
    private static final long MAX_IDLE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /**
     * Older connections are not reused, so that addresses which are new, or fast again, get their
     * share of connections.
     */
    static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final EventLoop loop;
    private final HttpOptions options;
    private final SSLContext tls;
    private final EndpointResolver resolver;
    private final Map<Endpoint, Deque<HttpConnection>> idle = new HashMap<>();
    private final Set<HttpConnection> connections = new LinkedHashSet<>();
    private int idleCount;
    private boolean sweeps;

    ConnectionPool(EventLoop loop, HttpOptions options, SSLContext tls, EndpointResolver resolver) {
        this.loop = loop;
        this.options = options;
        this.tls = tls;
        this.resolver = resolver;
    }

    /**
     * Sends a request on an idle connection, or on a new one.
     *
     * @param fallback the address of a new connection; the resolver counts it if it is used
     */
    void send(Exchange exchange, InetSocketAddress fallback) {
        if (exchange.isOver()) {
            resolver.closed(exchange.endpoint(), fallback);
            return;
        }
        HttpConnection free = poll(exchange.endpoint());
        if (free != null) {
            resolver.closed(exchange.endpoint(), fallback);
            free.send(exchange);
            return;
        }
        open(exchange, fallback);
    }

    private void open(Exchange exchange, InetSocketAddress address) {
        HttpConnection made;
        try {
            made = new HttpConnection(loop, this, exchange.endpoint(), address, tls);
        } catch (IOException e) {
            resolver.closed(exchange.endpoint(), address);
            exchange.ended(e);
            return;
        }
        connections.add(made);
        sweepLater();
        made.open(exchange);
    }

    private @Nullable HttpConnection poll(Endpoint endpoint) {
        Deque<HttpConnection> free = idle.get(endpoint);
        HttpConnection found = free == null ? null : free.pollLast();
        idleCount -= found == null ? 0 : 1;
        return found;
    }

    @Override
    public void idle(HttpConnection connection) {
        // A slow address gets no more requests than the resolver's choice of new connections gives
        // it
        if (idleCount >= options.maxIdleConnections()
                || loop.now() - connection.openedNanos() > MAX_AGE_NANOS
                || resolver.isSlow(connection.endpoint(), connection.address())) {
            connection.close();
            return;
        }
        idle.computeIfAbsent(connection.endpoint(), _ -> new ArrayDeque<>()).addLast(connection);
        idleCount++;
    }

    @Override
    public void received(HttpConnection connection, long bytes, long nanos) {
        resolver.received(connection.endpoint(), connection.address(), bytes, nanos);
    }

    @Override
    public void closed(HttpConnection connection) {
        connections.remove(connection);
        resolver.closed(connection.endpoint(), connection.address());
        Deque<HttpConnection> free = idle.get(connection.endpoint());
        if (free != null && free.remove(connection)) {
            idleCount--;
        }
    }

    @Override
    public void failed(HttpConnection connection) {
        resolver.failed(connection.endpoint(), connection.address());
    }

    /**
     * Sends the request on a new connection to the same address, because the other idle connections
     * may be as old.
     */
    @Override
    public void again(Exchange exchange, HttpConnection ended) {
        resolver.reopened(ended.endpoint(), ended.address());
        open(exchange, ended.address());
    }

    private void sweepLater() {
        if (!sweeps) {
            sweeps = true;
            loop.schedule(sweepNanos(), this::sweep);
        }
    }

    private long sweepNanos() {
        long shortest = Math.min(options.connectTimeoutNanos(), options.silenceTimeoutNanos());
        return Math.clamp(
                shortest / 4, TimeUnit.MILLISECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(1));
    }

    private void sweep() {
        sweeps = false;
        long now = loop.now();
        for (HttpConnection connection : List.copyOf(connections)) {
            long silent = now - connection.lastProgressNanos();
            if (!connection.isBusy()) {
                if (silent > MAX_IDLE_NANOS) {
                    connection.close();
                }
            } else if (!connection.isConnected()) {
                if (silent > options.connectTimeoutNanos()) {
                    connection.timedOut(
                            "No connection to %s within %d ms"
                                    .formatted(
                                            connection.address(),
                                            TimeUnit.NANOSECONDS.toMillis(
                                                    options.connectTimeoutNanos())));
                }
            } else if (silent > options.silenceTimeoutNanos()) {
                connection.timedOut(
                        "Nothing came from %s for %d ms"
                                .formatted(
                                        connection.address(),
                                        TimeUnit.NANOSECONDS.toMillis(
                                                options.silenceTimeoutNanos())));
            }
        }
        if (!connections.isEmpty()) {
            sweepLater();
        }
    }
}
