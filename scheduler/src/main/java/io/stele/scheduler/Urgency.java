package io.stele.scheduler;

/** The urgency classes of a scheduling group: how soon its contexts run once they are runnable. */
public enum Urgency {
    /**
     * At once, on the first worker that checks the inbox, as long as the group stays within its
     * share; for stateless requests that take well under a quantum.
     */
    LATENCY,

    /** By virtual runtime, on the worker that the context is on. */
    NORMAL
}
