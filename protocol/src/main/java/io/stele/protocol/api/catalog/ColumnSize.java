package io.stele.protocol.api.catalog;

/**
 * An estimate of the distinct count of a column and of the size of its values, for the optimizer.
 *
 * @param distinctCount distinct values that are not null; -1: unknown
 * @param valueBytes bytes of all values of variable length; -1: unknown, or the type has a fixed
 *     length
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
