package io.stele.benchmarks.serving;

/** A store of the rows of {@link ServingRows}, reached as one kind of client reaches it. */
interface ServingStore extends AutoCloseable {
    /** The name in metrics. */
    String name();

    /** A connection of its own. */
    Session open() throws Exception;

    @Override
    void close() throws Exception;

    /** One connection, confined to one thread at a time; every call waits for its answer. */
    interface Session extends AutoCloseable {
        /** Reads all columns of a row, which must be there. */
        void get(long id) throws Exception;

        /** Reads all columns of the rows, which must be there, in one request. */
        void multiGet(long[] ids) throws Exception;

        /** Replaces a row durably. */
        void upsert(long id) throws Exception;

        @Override
        void close() throws Exception;
    }

    /** Throws unless as many rows or values were found as were asked for. */
    static void checkFound(int expected, int found) {
        if (expected != found) {
            throw new IllegalStateException(
                    "Expected %d found, found %d".formatted(expected, found));
        }
    }
}
