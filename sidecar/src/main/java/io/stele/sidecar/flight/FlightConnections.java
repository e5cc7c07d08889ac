package io.stele.sidecar.flight;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler.Sharable;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.stele.protocol.SteleException;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.metrics.AccessMetrics;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A handler of the listening channel of the Flight port that limits its connections. Each has a
 * place among the pending logins until the first call with the secret; without one it is closed at
 * the deadline, or when it gives way to newer ones. gRPC itself limits calls, not connections.
 *
 * <p>Invariant: at most {@code maxConnections} are open, of which pending logins are a part. Safe
 * for use by many threads.
 */
@Sharable
final class FlightConnections extends ChannelInboundHandlerAdapter {
    private final int maxConnections;
    private final PendingLogins logins;
    private final AccessMetrics metrics;

    // Guarded by this
    private final Map<SocketAddress, PendingLogins.Login> open = new HashMap<>();

    FlightConnections(int maxConnections, PendingLogins logins, AccessMetrics metrics) {
        checkArgument(maxConnections > 0, "maxConnections must be > 0: %s", maxConnections);
        this.maxConnections = maxConnections;
        this.logins = requireNonNull(logins, "logins is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /** A call of this client had the secret: its connection stays until one of both ends it. */
    void loggedIn(@Nullable SocketAddress client) {
        PendingLogins.Login login;
        synchronized (this) {
            login = open.get(client);
        }
        if (login != null) {
            login.close();
        }
    }

    /** The message is the accepted connection, whose event loop is chosen behind this handler. */
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel accepted = (Channel) message;
        if (admit(accepted)) {
            context.fireChannelRead(message);
        } else {
            metrics.refusedAsBusy();
            accepted.unsafe().closeForcibly();
        }
    }

    private boolean admit(Channel accepted) {
        SocketAddress client = accepted.remoteAddress();
        if (client == null) {
            return false; // it is gone already
        }
        synchronized (this) {
            if (open.size() >= maxConnections) {
                return false;
            }
            open.put(client, logins.begin(reason -> end(accepted, reason)));
        }
        accepted.closeFuture().addListener(_ -> closed(client));
        return true;
    }

    private void closed(SocketAddress client) {
        PendingLogins.Login login;
        synchronized (this) {
            login = open.remove(client);
        }
        if (login != null) {
            login.close();
        }
    }

    private static void end(Channel accepted, SteleException reason) {
        requireNonNull(reason, "reason is null"); // it cannot be said before HTTP/2 is spoken
        if (accepted.isRegistered()) {
            accepted.close();
        } else {
            accepted.unsafe().closeForcibly(); // no event loop has it yet
        }
    }
}
