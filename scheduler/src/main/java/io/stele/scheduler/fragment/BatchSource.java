package io.stele.scheduler.fragment;

import io.stele.scheduler.YieldSignal;

/**
 * The operators of a fragment: makes batches one after the other, on the context of its edge and
 * never on two threads at once.
 *
 * <p>Neither method blocks. A source that needs something from outside requests it, returns {@link
 * Produced.Waiting}, and calls {@link Edge#resume} when it has arrived.
 */
public interface BatchSource<B> extends AutoCloseable {
    /**
     * Works until a batch is ready, the signal says to yield, or there is something to wait for.
     * Not called again after the end or an exception.
     *
     * @throws Exception the fragment failed; its pulls fail with this
     */
    Produced<B> next(YieldSignal signal) throws Exception;

    /** Called once: after the end, a failure, or when no more batches are wanted. */
    @Override
    void close();
}
