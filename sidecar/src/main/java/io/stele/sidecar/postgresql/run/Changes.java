package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

/**
 * The result of a statement that changes rows: their number, and the rows of RETURNING.
 *
 * @param count rows that were written or deleted
 * @param rows the rows of RETURNING: new rows, or rows that were deleted
 */
public record Changes(long count, PlanRows rows) {
    public Changes {
        requireNonNull(rows, "rows is null");
    }
}
