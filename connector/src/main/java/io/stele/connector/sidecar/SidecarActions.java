package io.stele.connector.sidecar;

import io.stele.protocol.api.Action;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.RunJobRequest;

/**
 * The actions that the connector requests from the sidecar for one user, with the repetition that
 * each kind allows. Every failure is a Trino exception. If the sidecar is unavailable, methods wait
 * for it unless they state otherwise. Thread-safe.
 */
public interface SidecarActions {
    /**
     * Runs a change of the catalog. If its answer is lost, it is repeated under the same statement
     * id for some minutes, and the sidecar answers as it would have the first time. If the outcome
     * is unknown then, the exception states this.
     */
    <Q, R> R change(Action<Q, R> action, Q request);

    /**
     * Runs an action that may be repeated, because it only reads, or because a repetition has the
     * same result.
     */
    <Q, R> R call(Action<Q, R> action, Q request);

    /**
     * Runs a change that may be repeated, because the sidecar recognizes it. It is repeated until
     * there is an answer, without a time limit for the change.
     *
     * @param unknown the error text without an answer: what is not known, and how to find out
     */
    <Q, R> R callUntilKnown(Action<Q, R> action, Q request, String unknown);

    /**
     * Runs long work as a job of the sidecar, or joins one that is running. It waits until the job
     * ends, and starts it again if the sidecar is lost. A cancelled caller leaves the job running.
     *
     * @return the job, which has succeeded
     */
    JobStatus runJob(RunJobRequest request);

    /** Runs an action whose result is not essential: once, and only if the sidecar is available. */
    <Q, R> R callNow(Action<Q, R> action, Q request);
}
