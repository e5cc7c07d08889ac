package io.stele.sidecar.framed;

import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.metrics.AccessMetrics;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

/**
 * What all connections of the framed door share.
 *
 * @param logins the connections whose HELLO has not come
 * @param places how many connections more may log in
 * @param pending bytes of requests not yet answered
 * @param replies bytes of lookup replies their clients have not yet taken
 * @param ownThreads how many connections more may have a thread of the system for themselves
 * @param threads starts the virtual threads of the connections
 */
record FramedDoor(
        String nodeId,
        Authenticator authenticator,
        PendingLogins logins,
        Semaphore places,
        int maxConnections,
        AccessMetrics metrics,
        RequestHandler handler,
        PendingLimits pending,
        PendingLimits replies,
        int maxPendingRequests,
        Semaphore ownThreads,
        ThreadFactory threads) {}
