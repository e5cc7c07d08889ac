package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

/**
 * What a statement has changed.
 *
 * @param count rows that were written or deleted
 * @param rows those of RETURNING: new ones, or those that were deleted
 */
public record Changes(long count, PlanRows rows) {
    public Changes {
        requireNonNull(rows, "rows is null");
    }
}
