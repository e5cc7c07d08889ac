package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonAlias;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableName;
import java.util.Optional;

/**
 * The state and progress of one maintenance job of a sidecar, in replies.
 *
 * @param id unique in the warehouse, also after a restart
 * @param index the name of the index of {@link JobKind#BUILD_INDEX}
 * @param user the user of the first request; empty if it named none
 * @param requestCount the number of requests for it; earlier builds call it {@code asked}
 * @param createdMillis time of the first request; this and the other times are epoch milliseconds
 * @param done finished work, in the unit of its kind
 * @param total work found so far, in the unit of its kind; may grow
 * @param result the number of deleted objects of {@link JobKind#REMOVE_ORPHAN_FILES}; else 0
 * @param error the name of the failure's error code
 * @param message of the failure
 */
public record JobStatus(
        String id,
        JobKind kind,
        TableName table,
        Optional<String> index,
        Optional<String> user,
        @JsonAlias("asked") int requestCount,
        JobState state,
        long createdMillis,
        Optional<Long> startedMillis,
        Optional<Long> endedMillis,
        long done,
        long total,
        long result,
        Optional<String> error,
        Optional<String> message) {
    public JobStatus {
        requireNonNull(id, "id is null");
        requireNonNull(kind, "kind is null");
        requireNonNull(table, "table is null");
        requireNonNull(index, "index is null");
        requireNonNull(user, "user is null");
        requireNonNull(state, "state is null");
        requireNonNull(startedMillis, "startedMillis is null");
        requireNonNull(endedMillis, "endedMillis is null");
        requireNonNull(error, "error is null");
        requireNonNull(message, "message is null");
    }

    /** The failure of a failed job. */
    public Optional<SteleException> failure() {
        return error.map(
                name -> new SteleException(ErrorCode.of(name), message.orElse("Job " + id)));
    }
}
