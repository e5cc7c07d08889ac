package io.stele.client;

import io.stele.protocol.SteleException;
import org.jspecify.annotations.Nullable;

/**
 * A source of requests that collects work until a connection polls it, so that work that arrives
 * while the socket is busy is sent as one batch. A batcher schedules itself with its connection
 * when it receives work. The connection removes it when it is empty.
 */
interface RequestBatcher {
    /** {@link #waitNanos}: the batcher is empty and will schedule itself again. */
    long EMPTY = -1;

    /** {@link #waitNanos}: the batcher waits for a reply, not for time. */
    long UNTIL_REPLY = Long.MAX_VALUE;

    /** The next request to send; null if there is none now. */
    @Nullable Request poll(long nowNanos);

    /**
     * The time in nanoseconds until there may be a request, {@link #EMPTY} or {@link #UNTIL_REPLY}.
     * Called after {@link #poll} has returned null.
     */
    long waitNanos(long nowNanos);

    /** The number of rows that wait in the batcher. */
    long rowCount();

    /** Fails everything that waits in the batcher. */
    void fail(SteleException failure);
}
