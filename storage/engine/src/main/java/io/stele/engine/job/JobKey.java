package io.stele.engine.job;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.api.maintenance.JobKind;
import java.util.Optional;

/**
 * The work of a job: a request for the same work while it runs joins that job.
 *
 * @param argument as the {@link JobKind} defines it
 */
public record JobKey(JobKind kind, TableId table, Optional<Long> argument) {
    public JobKey {
        requireNonNull(kind, "kind is null");
        requireNonNull(table, "table is null");
        requireNonNull(argument, "argument is null");
    }
}
