package io.stele.engine;

/** Memory for the rows of one lookup, which may grow while it reads. */
@FunctionalInterface
public interface RowRoom {
    /** Enough for any rows. */
    RowRoom UNLIMITED = neededBytes -> Long.MAX_VALUE;

    /**
     * Asks for more; does not wait.
     *
     * @param neededBytes of all rows; 0: to begin with
     * @return most bytes of rows from now on, never less than before
     */
    long grow(long neededBytes);
}
