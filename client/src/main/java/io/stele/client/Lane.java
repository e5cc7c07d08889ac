package io.stele.client;

import io.stele.protocol.SteleException;
import org.jspecify.annotations.Nullable;

/**
 * A source of requests that gathers work until a connection asks for it, so that what arrives while
 * the wire is busy goes out together. A lane schedules itself with its connection when it gets
 * work; the connection drops it when it has none.
 */
interface Lane {
    /** {@link #waitNanos}: the lane has nothing and will schedule itself again. */
    long EMPTY = -1;

    /** {@link #waitNanos}: the lane waits for a reply, not for time. */
    long UNTIL_REPLY = Long.MAX_VALUE;

    /** What is to be sent now; null for nothing. */
    @Nullable Request poll(long nowNanos);

    /**
     * After null: how long until there may be something, {@link #EMPTY} or {@link #UNTIL_REPLY}.
     */
    long waitNanos(long nowNanos);

    /** Rows that wait in the lane. */
    long rowCount();

    /** Fails everything that waits in the lane. */
    void fail(SteleException failure);
}
