package io.stele.benchmarks.get;

/** A store in this process that the point read benchmark loads and reads by key. */
interface LookupStore extends AutoCloseable {
    /** The store's name in the report. */
    String name();

    /** Puts rows {@code [0, rows)} into memory. */
    void load(long rows) throws Exception;

    /** Puts what is in memory into files. */
    void flush() throws Exception;

    /**
     * The row of a number by its key.
     *
     * @return its length in bytes in the store's form
     * @throws IllegalStateException if the store has no such row
     */
    int get(int number) throws Exception;

    /** The ten fields of a row, joined. */
    byte[] fields(int number) throws Exception;
}
