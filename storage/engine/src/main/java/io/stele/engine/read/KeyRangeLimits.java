package io.stele.engine.read;

/**
 * The limits of one page of a scan by key.
 *
 * @param rows the most rows, at least 1
 * @param bytes the most bytes of rows, each counted with its overhead in a reply; the first row may
 *     have more
 */
public record KeyRangeLimits(int rows, long bytes) {
    public KeyRangeLimits {
        if (rows < 1 || bytes < 1) {
            throw new IllegalArgumentException(
                    "Expected limits of 1 row and 1 byte or more, found %s and %s"
                            .formatted(rows, bytes));
        }
    }
}
