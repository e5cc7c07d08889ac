package io.stele.engine.job;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.api.maintenance.JobKind;
import java.util.Optional;

/**
 * The identity of a job's work, by which a request joins a running job for the same work.
 *
 * @param argument as the {@link JobKind} defines it, such as an LSN, epoch milliseconds or an index
 *     id
 */
public record JobKey(JobKind kind, TableId table, Optional<Long> argument) {
    public JobKey {
        requireNonNull(kind, "kind is null");
        requireNonNull(table, "table is null");
        requireNonNull(argument, "argument is null");
    }
}
