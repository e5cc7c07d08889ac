package io.stele.columnfile.index;

import java.util.Arrays;

/**
 * One version of a row in an SST file, as a range of a cached block, which must not be changed.
 *
 * @param deleted whether this version is a tombstone; then the range is empty
 */
public record RowVersion(long lsn, boolean deleted, byte[] array, int offset, int length) {
    /** A copy of the row's bytes. */
    public byte[] toByteArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }
}
