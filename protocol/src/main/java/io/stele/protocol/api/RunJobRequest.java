package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * Asks for work on a table, and waits for it for a while. A job that is at work on the same is
 * found, so a request whose reply was lost may be sent again.
 *
 * @param argument what the kind says
 * @param jobId the job that an earlier reply named: it is waited for, whatever else is at work; if
 *     the sidecar does not know it, because it was restarted, the work begins anew
 * @param waitMillis how long to wait for its end, at most; a sidecar may wait less
 */
public record RunJobRequest(
        JobKind kind,
        TableRequest table,
        Optional<Long> argument,
        Optional<String> jobId,
        long waitMillis) {
    public RunJobRequest {
        requireNonNull(kind, "kind is null");
        requireNonNull(table, "table is null");
        requireNonNull(argument, "argument is null");
        requireNonNull(jobId, "jobId is null");
    }

    /** Of work that has no argument. */
    public static RunJobRequest of(JobKind kind, TableRequest table) {
        return new RunJobRequest(kind, table, Optional.empty(), Optional.empty(), 0);
    }

    /** Of work that has one. */
    public static RunJobRequest of(JobKind kind, TableRequest table, long argument) {
        return new RunJobRequest(kind, table, Optional.of(argument), Optional.empty(), 0);
    }

    /** The same, waiting so long for a job that it may know. */
    public RunJobRequest waiting(Optional<String> job, long millis) {
        return new RunJobRequest(kind, table, argument, job, millis);
    }
}
