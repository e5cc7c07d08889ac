package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableName;
import java.util.Optional;

/**
 * A job and its progress.
 *
 * @param id no other job of the warehouse has it, also after a restart
 * @param index of {@link JobKind#BUILD_INDEX} its name
 * @param user the user of the first request; empty if it named none
 * @param asked how often it was requested
 * @param createdMillis when, in milliseconds since 1970, as the others
 * @param done units of its kind
 * @param total the work found so far; it grows while more is found
 * @param result of {@link JobKind#REMOVE_ORPHAN_FILES} the number of objects; else 0
 * @param error the name of its error code
 * @param message of the failure
 */
public record JobStatus(
        String id,
        JobKind kind,
        TableName table,
        Optional<String> index,
        Optional<String> user,
        int asked,
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

    /** Its failure, if it failed. */
    public Optional<SteleException> failure() {
        return error.map(
                name -> new SteleException(ErrorCode.of(name), message.orElse("Job " + id)));
    }
}
