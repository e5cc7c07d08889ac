package io.stele.client.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.stele.client.auth.ClientTls;
import io.stele.client.auth.TokenSource;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.flight.ActionResult;
import io.stele.protocol.flight.ActionType;
import io.stele.protocol.flight.Criteria;
import io.stele.protocol.flight.Empty;
import io.stele.protocol.flight.FlightAction;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.flight.FlightErrors;
import io.stele.protocol.flight.FlightInfo;
import io.stele.protocol.flight.FlightMethods;
import io.stele.protocol.flight.QueryIdentityHeaders;
import io.stele.protocol.flight.SchemaResult;
import io.stele.protocol.flight.StatementIdHeader;
import io.stele.protocol.flight.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;

/**
 * A client of one sidecar's Arrow Flight server, for actions and streams of record batches, without
 * retries. Every failure is a {@link SteleException} that names the sidecar; only the caller knows
 * which calls are safe to repeat. A call while the sidecar is unavailable fails at once and starts
 * an attempt to connect. So a caller that repeats calls is connected soon after the sidecar is
 * back. Thread-safe.
 */
public final class FlightClient implements AutoCloseable {
    /** The timeout of an action without a timeout of the caller. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

    /**
     * The shortest time between attempts to connect. gRPC itself waits longer after each failure,
     * up to two minutes, in which a sidecar that is back would stay unused.
     */
    private static final long RECONNECT_NANOS = Duration.ofMillis(500).toNanos();

    private final String where;
    private final ManagedChannel channel;
    private final Channel authenticated;
    private final AtomicLong lastReconnect = new AtomicLong(System.nanoTime() - RECONNECT_NANOS);

    public FlightClient(String host, int port, Optional<ClientTls> tls, TokenSource tokens) {
        this(requireNonNull(host, "host is null") + ":" + port, channel(host, port, tls), tokens);
    }

    /** A client of an injected channel. */
    FlightClient(String where, ManagedChannel channel, TokenSource tokens) {
        this.where = requireNonNull(where, "where is null");
        this.channel = requireNonNull(channel, "channel is null");
        this.authenticated = ClientInterceptors.intercept(channel, new BearerCredentials(tokens));
    }

    static ManagedChannel channel(String host, int port, Optional<ClientTls> tls) {
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(host, port)
                        .maxInboundMessageSize(FlightMethods.MAX_MESSAGE_BYTES)
                        .disableRetry()
                        // 6 minutes: servers refuse pings more often than every 5.
                        .keepAliveTime(6, TimeUnit.MINUTES)
                        .directExecutor(); // the listeners only add to queues
        if (tls.isPresent()) {
            builder.sslContext(sslContext(tls.get()));
        } else {
            builder.usePlaintext();
        }
        return builder.build();
    }

    private static io.grpc.netty.shaded.io.netty.handler.ssl.SslContext sslContext(ClientTls tls) {
        try {
            return GrpcSslContexts.forClient().trustManager(tls.trustManagers()).build();
        } catch (SSLException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT, "Cannot set up TLS: " + e.getMessage(), e);
        }
    }

    /** {@code host:port}. */
    public String where() {
        return where;
    }

    /** Whether the last attempt to connect failed; calls fail until an attempt succeeds. */
    public boolean isBackingOff() {
        return channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE;
    }

    /** Whether there is a connection that is not known to be dead. */
    public boolean isConnected() {
        return channel.getState(false) == ConnectivityState.READY;
    }

    /**
     * Connects at once, even if the next attempt would be later, and waits.
     *
     * @throws SteleException UNAVAILABLE if it does not succeed in time, or the thread is
     *     interrupted
     */
    public void connect(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean isRetried = false;
        ConnectivityState state = channel.getState(true);
        while (state != ConnectivityState.READY) {
            CountDownLatch changed = new CountDownLatch(1);
            channel.notifyWhenStateChanged(state, changed::countDown);
            boolean isRefused = state == ConnectivityState.TRANSIENT_FAILURE;
            if (isRefused && !isRetried) {
                channel.resetConnectBackoff();
            } else if (isRefused || state == ConnectivityState.SHUTDOWN) {
                throw notConnected(state);
            }
            isRetried |= isRefused;
            try {
                if (!changed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    throw notConnected(state);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SteleException(
                        ErrorCode.UNAVAILABLE, "Interrupted while connecting to " + where, e);
            }
            state = channel.getState(true);
        }
    }

    /** The channel for a new call; makes the channel connect if it waits for its next attempt. */
    private Channel calls() {
        if (isBackingOff()) {
            long last = lastReconnect.get();
            long now = System.nanoTime();
            if (now - last >= RECONNECT_NANOS && lastReconnect.compareAndSet(last, now)) {
                channel.resetConnectBackoff();
            }
        }
        return authenticated;
    }

    private SteleException notConnected(ConnectivityState found) {
        return new SteleException(
                ErrorCode.UNAVAILABLE,
                "Expected a connection to %s, found it in state %s".formatted(where, found));
    }

    /** Runs an action with a JSON request and one JSON result, with the default timeout. */
    public <Q, R> R action(Action<Q, R> action, Q request) {
        return action(action, request, DEFAULT_TIMEOUT);
    }

    /** Runs an action with a timeout. */
    public <Q, R> R action(Action<Q, R> action, Q request, Duration timeout) {
        return action(action, request, timeout, QueryIdentity.NONE);
    }

    /**
     * Runs an action for a query.
     *
     * @param identity the query's identity, for the log of the service
     */
    public <Q, R> R action(
            Action<Q, R> action, Q request, Duration timeout, QueryIdentity identity) {
        return action(action, request, timeout, identity, Optional.empty());
    }

    /**
     * Runs an action that the caller may repeat.
     *
     * @param statementId of a change of the catalog, which takes effect only once for each id
     */
    public <Q, R> R action(
            Action<Q, R> action,
            Q request,
            Duration timeout,
            QueryIdentity identity,
            Optional<UUID> statementId) {
        Metadata headers = new Metadata();
        QueryIdentityHeaders.put(identity, headers);
        statementId.ifPresent(id -> StatementIdHeader.put(id, headers));
        List<ActionResult> results = new ArrayList<>(1);
        try {
            Iterator<ActionResult> received =
                    ClientCalls.blockingServerStreamingCall(
                            ClientInterceptors.intercept(
                                    calls(), MetadataUtils.newAttachHeadersInterceptor(headers)),
                            FlightMethods.DO_ACTION,
                            within(timeout),
                            new FlightAction(action.name(), ApiJson.write(request)));
            received.forEachRemaining(results::add);
        } catch (RuntimeException e) {
            throw FlightErrors.toSteleException(e, where);
        }
        if (results.size() != 1) {
            throw new SteleException(
                    ErrorCode.INTERNAL,
                    "Expected one result of action "
                            + action.name()
                            + " of "
                            + where
                            + ", found "
                            + results.size());
        }
        return ApiJson.read(results.get(0).body(), action.reply());
    }

    /** Starts an action with a stream of results; the caller must close it. */
    public <Q, R> ActionStream<R> watch(Action<Q, R> action, Q request) {
        return ActionStream.start(
                calls().newCall(FlightMethods.DO_ACTION, CallOptions.DEFAULT),
                new FlightAction(action.name(), ApiJson.write(request)),
                action.reply(),
                where);
    }

    /** The actions that the service supports. */
    public List<ActionType> listActions() {
        return list(FlightMethods.LIST_ACTIONS, Empty.EMPTY);
    }

    /** The tables, as Flight's data sets. */
    public List<FlightInfo> listFlights(Criteria criteria) {
        return list(FlightMethods.LIST_FLIGHTS, criteria);
    }

    public FlightInfo info(FlightDescriptor descriptor) {
        return unary(FlightMethods.GET_FLIGHT_INFO, descriptor);
    }

    public SchemaResult schema(FlightDescriptor descriptor) {
        return unary(FlightMethods.GET_SCHEMA, descriptor);
    }

    /** Starts a stream of batches; the caller must close it. */
    public FlightStream get(Ticket ticket) {
        return get(ticket, QueryIdentity.NONE);
    }

    /**
     * Starts a stream of batches for a query.
     *
     * @param identity the query's identity, by which the service chooses a scheduling group, and
     *     under which it reports the reads
     */
    public FlightStream get(Ticket ticket, QueryIdentity identity) {
        ClientCall<Ticket, FlightData> call =
                calls().newCall(FlightMethods.DO_GET, CallOptions.DEFAULT);
        Metadata headers = new Metadata();
        QueryIdentityHeaders.put(identity, headers);
        return FlightStream.start(call, ticket, headers, where);
    }

    /** Starts a stream of batches to the sidecar; the caller must finish or close it. */
    public FlightPut put() {
        return FlightPut.start(calls().newCall(FlightMethods.DO_PUT, CallOptions.DEFAULT), where);
    }

    /** Ends all calls. */
    @Override
    public void close() {
        channel.shutdownNow();
    }

    private <Q, R> List<R> list(io.grpc.MethodDescriptor<Q, R> method, Q request) {
        try {
            List<R> results = new ArrayList<>();
            ClientCalls.blockingServerStreamingCall(
                            calls(), method, within(DEFAULT_TIMEOUT), request)
                    .forEachRemaining(results::add);
            return List.copyOf(results);
        } catch (RuntimeException e) {
            throw FlightErrors.toSteleException(e, where);
        }
    }

    private <Q, R> R unary(io.grpc.MethodDescriptor<Q, R> method, Q request) {
        try {
            return ClientCalls.blockingUnaryCall(calls(), method, within(DEFAULT_TIMEOUT), request);
        } catch (RuntimeException e) {
            throw FlightErrors.toSteleException(e, where);
        }
    }

    private static CallOptions within(Duration timeout) {
        return CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }
}
