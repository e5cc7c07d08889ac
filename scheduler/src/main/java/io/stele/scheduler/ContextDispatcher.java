package io.stele.scheduler;

/** The mechanism under execution contexts: it chooses the thread that runs a runnable context. */
interface ContextDispatcher {
    /**
     * Takes a context that has just become runnable. Called by any thread, once for each time;
     * until the context is run or idle again the caller's right to change it is the dispatcher's.
     */
    void runnable(ExecutionContext context);

    /** Called with anything a task throws. */
    void failed(Throwable failure);
}
