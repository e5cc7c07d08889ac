package io.stele.engine.read;

/**
 * What one page of a scan by key may have at most.
 *
 * @param rows at least 1
 * @param bytes of rows, each counted with some more for what a reply has around it; the first row
 *     may have more
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
