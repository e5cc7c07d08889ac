package io.stele.scheduler;

/** How soon the contexts of a group run once they have something to do. */
public enum Urgency {
    /**
     * At once, on whatever worker is first to look, as long as the group stays within its share;
     * for stateless requests that take well under a quantum.
     */
    LATENCY,

    /** By virtual runtime, on the worker that the context is on. */
    NORMAL
}
