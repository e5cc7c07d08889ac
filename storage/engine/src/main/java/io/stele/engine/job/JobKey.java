package io.stele.engine.job;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.api.JobKind;
import java.util.Optional;

/**
 * The work of a job: who asks for the same while it goes on waits for that job.
 *
 * @param argument what the kind says
 */
public record JobKey(JobKind kind, TableId table, Optional<Long> argument) {
    public JobKey {
        requireNonNull(kind, "kind is null");
        requireNonNull(table, "table is null");
        requireNonNull(argument, "argument is null");
    }
}
