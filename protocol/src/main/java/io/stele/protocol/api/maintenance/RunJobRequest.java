package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.catalog.TableRequest;
import java.util.Optional;

/**
 * A request to run a maintenance job on a table and to wait a limited time for its end. If a job is
 * already running the same work, the request joins it. So a request whose reply was lost may be
 * sent again.
 *
 * @param argument as defined by the {@link JobKind}
 * @param jobId the job of an earlier reply, for which the request waits, independent of other jobs;
 *     if the sidecar does not have it, because it was restarted, the work starts again
 * @param waitMillis the longest wait for the end of the job, in milliseconds; a sidecar may wait
 *     less
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

    /** A request for work without an argument. */
    public static RunJobRequest of(JobKind kind, TableRequest table) {
        return new RunJobRequest(kind, table, Optional.empty(), Optional.empty(), 0);
    }

    /** A request for work with an argument. */
    public static RunJobRequest of(JobKind kind, TableRequest table, long argument) {
        return new RunJobRequest(kind, table, Optional.of(argument), Optional.empty(), 0);
    }

    /** This request with another waiting time, for a job that the sidecar may already have. */
    public RunJobRequest waiting(Optional<String> job, long millis) {
        return new RunJobRequest(kind, table, argument, job, millis);
    }
}
