package io.stele.engine.read;

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

    /**
     * Most bytes of rows that are read, without being kept, to know how many all rows have; 0: none
     * are. Beyond that they are too many, however many they are.
     */
    default long countedBytes() {
        return 0;
    }
}
