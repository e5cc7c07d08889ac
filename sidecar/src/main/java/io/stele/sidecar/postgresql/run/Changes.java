package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

/**
 * What a statement has changed.
 *
 * @param count rows that were written or deleted
 * @param messages the rows of RETURNING: new ones, or those that were deleted
 */
public record Changes(long count, ResultRows messages) {
    public Changes {
        requireNonNull(messages, "messages is null");
    }
}
