package io.stele.connector.sidecar;

/**
 * The actions of a sidecar, as one user runs them. Every failure is a Trino exception. Thread-safe.
 */
public interface SidecarActions {
    /** Runs an action that must not be repeated. */
    <T> T callOnce(String action, Object request, Class<T> replyType);

    /** Runs an action that may be repeated, because it only reads or comes to the same. */
    <T> T call(String action, Object request, Class<T> replyType);
}
