package io.stele.scheduler;

/** The urgency classes of a scheduling group: how soon its contexts run once they are runnable. */
public enum Urgency {
    /**
     * At once, on the first worker that checks the inbox, while the latency class stays within its
     * share; for stateless requests that take much less than a quantum.
     */
    LATENCY,

    /** By virtual runtime, on the context's own worker. */
    NORMAL
}
