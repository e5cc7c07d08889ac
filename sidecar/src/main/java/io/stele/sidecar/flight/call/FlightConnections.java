package io.stele.sidecar.flight.call;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler.Sharable;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.metrics.AccessMetrics;
import java.net.SocketAddress;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the connections of the Flight port, as a handler of its listening channel. gRPC limits
 * calls, not connections. A connection has a place among the pending logins until its first call
 * with the secret, in its headers or in the payload of a {@code Handshake}. Without one it is
 * closed at the deadline, or in favor of newer connections.
 *
 * <p>Invariant: at most {@code maxConnections} connections that have logged in are open; the others
 * are at most those of the pending logins. Thread-safe.
 */
@Sharable
public final class FlightConnections extends ChannelInboundHandlerAdapter {
    private final int maxConnections;
    private final PendingLogins logins;
    private final AccessMetrics metrics;

    // Guarded by this. Keyed by the address object that the channel passes to gRPC, because two
    // connections may have equal addresses for a moment
    private final Map<SocketAddress, Connection> open = new IdentityHashMap<>();
    private int loggedIn;

    public FlightConnections(int maxConnections, PendingLogins logins, AccessMetrics metrics) {
        checkArgument(maxConnections > 0, "maxConnections must be > 0: %s", maxConnections);
        this.maxConnections = maxConnections;
        this.logins = requireNonNull(logins, "logins is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /**
     * Marks the connection of a call with the secret as logged in; it stays until client or server
     * ends it.
     *
     * @param client the remote address of the call's transport
     * @throws SteleException BUSY if too many others have logged in
     */
    void logIn(@Nullable SocketAddress client) {
        Connection connection;
        synchronized (this) {
            connection = open.get(client);
            if (connection == null || connection.isLoggedIn) {
                return;
            }
            if (loggedIn == maxConnections) {
                metrics.refusedAsBusy();
                throw new SteleException(
                        ErrorCode.BUSY,
                        "The sidecar serves "
                                + maxConnections
                                + " Flight connections already (stele.flight.max-connections); try again later");
            }
            connection.isLoggedIn = true;
            loggedIn++;
        }
        requireNonNull(connection.login).close();
    }

    /**
     * Ends a connection and all its calls.
     *
     * @param client the remote address of a call's transport
     */
    void end(@Nullable SocketAddress client) {
        Connection connection;
        synchronized (this) {
            connection = open.get(client);
        }
        Channel channel = connection == null ? null : connection.channel;
        if (channel != null) {
            channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
        }
    }

    /** The message is an accepted connection, whose event loop a later handler chooses. */
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ((Channel) message).pipeline().addFirst(new Connection());
        context.fireChannelRead(message);
    }

    /** The first handler of one connection. Confined to its event loop but for its login. */
    private final class Connection extends ChannelInboundHandlerAdapter {
        private @Nullable SocketAddress client; // none before it is registered
        private volatile @Nullable Channel channel;
        private PendingLogins.@Nullable Login login;
        private boolean isLoggedIn; // guarded by the connections

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            Channel own = context.channel();
            client = own.remoteAddress();
            if (client == null) {
                own.unsafe().close(own.voidPromise()); // it is gone already
                return;
            }
            channel = own;
            login = logins.begin(reason -> own.eventLoop().execute(() -> end(own)));
            synchronized (FlightConnections.this) {
                open.put(client, this);
            }
            context.fireChannelRegistered();
        }

        private void end(Channel channel) {
            synchronized (FlightConnections.this) {
                if (isLoggedIn) {
                    return; // just in time
                }
            }
            // Not by the pipeline: gRPC would wait for the client to end its streams
            channel.unsafe().close(channel.voidPromise());
        }

        @Override
        public void channelUnregistered(ChannelHandlerContext context) {
            synchronized (FlightConnections.this) {
                if (open.remove(client) != null && isLoggedIn) {
                    loggedIn--;
                }
            }
            if (login != null) {
                login.close();
            }
            context.fireChannelUnregistered();
        }
    }
}
