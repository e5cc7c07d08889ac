package io.stele.scheduler;

/**
 * The interface from execution contexts to their pool, which queues runnable contexts and chooses
 * their threads.
 */
interface ContextDispatcher {
    /**
     * Queues a context that has just become runnable. Called by any thread, once each time. The
     * caller owns the context's worker fields and passes this ownership to the dispatcher, until
     * the context is run or idle again.
     */
    void runnable(ExecutionContext context);

    /** Called with every failure of a task. */
    void failed(Throwable failure);
}
