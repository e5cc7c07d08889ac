package io.stele.engine.read;

/** The memory budget for the rows of one lookup or scan by key, which may grow while it reads. */
@FunctionalInterface
public interface RowRoom {
    /** A budget for any rows. */
    RowRoom UNLIMITED = neededBytes -> Long.MAX_VALUE;

    /**
     * Requests more memory; does not wait.
     *
     * @param neededBytes the bytes needed for all rows; 0: the first request
     * @return the most bytes of rows from now on, never less than before
     */
    long grow(long neededBytes);

    /**
     * The most bytes of rows that are read without being kept, to count the bytes of all rows; 0:
     * no rows are read for the count. Beyond this number the exact count does not matter.
     */
    default long countedBytes() {
        return 0;
    }
}
