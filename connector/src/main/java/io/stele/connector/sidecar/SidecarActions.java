package io.stele.connector.sidecar;

import io.stele.protocol.api.JobStatus;
import io.stele.protocol.api.RunJobRequest;

/**
 * The actions of a sidecar, as one user runs them. Every failure is a Trino exception. A sidecar
 * that is away is waited for, unless said otherwise. Thread-safe.
 */
public interface SidecarActions {
    /**
     * Runs an action that must not be repeated, because a second time is another change: it is sent
     * once the sidecar is there, and waited for as long as it takes. A failure after which nobody
     * knows whether it was done says so.
     */
    <T> T callOnce(String action, Object request, Class<T> replyType);

    /** Runs an action that may be repeated, because it only reads or comes to the same. */
    <T> T call(String action, Object request, Class<T> replyType);

    /**
     * Runs a change that may be repeated, because the sidecar knows it again: until there is an
     * answer, however long the change takes.
     *
     * @param unknown what is not known if there is none, and how to find out
     */
    <T> T callUntilKnown(String action, Object request, Class<T> replyType, String unknown);

    /**
     * Runs long work as a job of the sidecar, or finds it going on: waits for as long as it takes,
     * and begins it anew where the sidecar is lost. Whoever is cancelled leaves the job going on.
     *
     * @return the job, which has ended well
     */
    JobStatus runJob(RunJobRequest request);

    /** Runs an action that somebody will do without: once, and if the sidecar is there. */
    <T> T callNow(String action, Object request, Class<T> replyType);
}
