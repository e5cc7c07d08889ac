package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WireLimits;
import java.util.Optional;

/**
 * The options of a client's scan by key: snapshot, direction, limit and page sizes.
 *
 * @param readLsn the LSN of a leased snapshot; empty: each page has the newest rows
 * @param isDescending whether the row of the greatest key comes first
 * @param limit the most rows of the scan
 * @param pageRows the most rows of a page, 1 to 65,536
 * @param pageBytes the approximate most bytes of the rows of a page
 */
public record ScanOptions(
        Optional<Lsn> readLsn, boolean isDescending, long limit, int pageRows, int pageBytes) {
    /** Options for all newest rows in the order of keys, in pages of 4,096 rows or 256 KiB. */
    public static final ScanOptions DEFAULT =
            new ScanOptions(Optional.empty(), false, Long.MAX_VALUE, 4096, 256 << 10);

    public ScanOptions {
        requireNonNull(readLsn, "readLsn is null");
        if (limit < 0 || pageBytes < 1 || pageRows < 1 || pageRows > WireLimits.MAX_SCANNED_ROWS) {
            throw new IllegalArgumentException(
                    "Expected a limit >= 0, 1 to %s rows and at least 1 byte a page, found %s, %s and %s"
                            .formatted(WireLimits.MAX_SCANNED_ROWS, limit, pageRows, pageBytes));
        }
    }

    /** These options at a snapshot. */
    public ScanOptions at(Lsn lsn) {
        return new ScanOptions(Optional.of(lsn), isDescending, limit, pageRows, pageBytes);
    }

    /** These options against the order of keys: the row of the greatest key comes first. */
    public ScanOptions descending() {
        return new ScanOptions(readLsn, true, limit, pageRows, pageBytes);
    }

    /** These options with another limit of rows. */
    public ScanOptions withLimit(long rows) {
        return new ScanOptions(readLsn, isDescending, rows, pageRows, pageBytes);
    }

    /** These options with other page sizes. */
    public ScanOptions withPages(int rows, int bytes) {
        return new ScanOptions(readLsn, isDescending, limit, rows, bytes);
    }
}
