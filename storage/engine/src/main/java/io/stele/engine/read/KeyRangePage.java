package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.List;
import java.util.Optional;

/**
 * One page of the result of a scan by key: rows of a range in or against the order of keys, and
 * where the next page continues.
 *
 * @param schemaVersion the version whose layout the rows have
 * @param lsn the LSN as of which the rows were read
 * @param rows must not be changed
 * @param next a bound of the rest of the range, which has more rows: the inclusive lower bound, or
 *     if keys descend, the exclusive upper bound; empty: there are no more
 * @param neededBytes the bytes of the first row, if there was no room even for it; else 0
 * @param versionsRead the number of row versions that were read to find these rows
 */
public record KeyRangePage(
        int schemaVersion,
        Lsn lsn,
        List<byte[]> rows,
        Optional<byte[]> next,
        long neededBytes,
        long versionsRead) {
    public KeyRangePage {
        requireNonNull(lsn, "lsn is null");
        rows = List.copyOf(rows);
        requireNonNull(next, "next is null");
    }
}
