package io.stele.scheduler.fragment;

import io.stele.scheduler.YieldSignal;

/**
 * A non-blocking producer of a query fragment's batches, implemented by the fragment's operators.
 * It runs on the context of its edge, never on two threads at once.
 *
 * <p>Neither method blocks. A source that waits for an external event requests it, returns {@link
 * Produced.Waiting}, and calls {@link Edge#resume} when the event has happened.
 */
public interface BatchSource<B> extends AutoCloseable {
    /**
     * Works until a batch is ready, the signal requests a yield, or the source must wait. Not
     * called again after the end or an exception.
     *
     * @throws Exception if the fragment failed; its pulls then fail with this
     */
    Produced<B> next(YieldSignal signal) throws Exception;

    /** Called once: after the end or a failure, or when no more batches are wanted. */
    @Override
    void close();
}
