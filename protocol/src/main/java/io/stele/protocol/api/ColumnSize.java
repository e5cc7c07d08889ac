package io.stele.protocol.api;

/**
 * How many different values a column has, and how long they are; an estimate.
 *
 * @param distinctCount values that are not null; -1: unknown
 * @param valueBytes bytes of all values of varying length; -1: unknown, or the type has one length
 */
public record ColumnSize(long distinctCount, long valueBytes) {
    public static final ColumnSize UNKNOWN = new ColumnSize(-1, -1);

    public ColumnSize {
        if (distinctCount < -1 || valueBytes < -1) {
            throw new IllegalArgumentException(
                    "Expected counts >= -1, found " + distinctCount + " and " + valueBytes);
        }
    }
}
