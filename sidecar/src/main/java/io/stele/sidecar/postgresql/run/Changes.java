package io.stele.sidecar.postgresql.run;

import java.util.List;

/**
 * What a statement has changed.
 *
 * @param count rows that were written or deleted
 * @param rows of RETURNING: new ones, or those that were deleted
 */
public record Changes(long count, List<byte[]> rows) {
    public Changes {
        rows = List.copyOf(rows);
    }
}
