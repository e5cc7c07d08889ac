package io.stele.sidecar.framed;

import io.stele.sidecar.auth.Authenticator;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

/**
 * What all connections of the framed door share.
 *
 * @param pending bytes of requests not yet answered
 * @param replies bytes of lookup replies their clients have not yet taken
 * @param ownThreads how many connections more may have a thread of the system for themselves
 * @param threads starts the virtual threads of the connections
 */
record FramedDoor(
        String nodeId,
        Authenticator authenticator,
        RequestHandler handler,
        PendingLimits pending,
        PendingLimits replies,
        int maxPendingRequests,
        int helloTimeoutMillis,
        Semaphore ownThreads,
        ThreadFactory threads) {}
