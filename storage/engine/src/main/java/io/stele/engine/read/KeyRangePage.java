package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.List;
import java.util.Optional;

/**
 * Some rows of a range of keys, in the order of the keys.
 *
 * @param schemaVersion the version whose layout the rows have
 * @param lsn as of which they were read
 * @param rows must not be changed
 * @param next the key of the next row of the range; empty: there is none
 * @param neededBytes of the first row, if there was no room even for it; else 0
 * @param versionsRead versions of rows that were looked at to find these
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
