package io.stele.scheduler.fragment;

import io.stele.scheduler.YieldSignal;

/**
 * The operators of a fragment: makes batches one after the other, on the context of its edge and
 * never on two threads at once.
 *
 * <p>Neither method blocks. Whoever needs something from outside asks for it, answers {@link
 * Produced.Waiting}, and calls {@link Edge#resume} when it is there.
 */
public interface BatchSource<B> extends AutoCloseable {
    /**
     * Works until a batch is ready, the signal says to yield, or there is something to wait for.
     * Not called again after the end or an exception.
     *
     * @throws Exception the fragment failed; whoever pulls from it is told
     */
    Produced<B> next(YieldSignal signal) throws Exception;

    /** Called once: after the end, a failure, or when nobody wants more. */
    @Override
    void close();
}
