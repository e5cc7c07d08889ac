package io.stele.sidecar.framed;

import io.stele.engine.node.WriteRoom;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.AccessMetrics;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/**
 * The state that all connections of the framed server share: its limits, services and metrics.
 *
 * @param logins the connections whose HELLO has not arrived
 * @param places permits of the connections that may still log in
 * @param pending bytes of requests not yet answered, from the announcement of each
 * @param writeRooms room for writes, in the budget of the engine
 * @param replies budget of the bytes of replies to lookups and actions, shared with the Flight port
 * @param ownThreads permits of the connections that may still have a platform thread of their own
 * @param threads starts the virtual threads of the connections
 */
record FramedServerContext(
        String nodeId,
        Authenticator authenticator,
        PendingLogins logins,
        Semaphore places,
        int maxConnections,
        AccessMetrics metrics,
        RequestHandler handler,
        PendingLimits pending,
        Supplier<WriteRoom> writeRooms,
        ReplyBudget replies,
        int maxPendingRequests,
        Semaphore ownThreads,
        ThreadFactory threads) {}
