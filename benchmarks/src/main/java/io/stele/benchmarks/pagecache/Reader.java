package io.stele.benchmarks.pagecache;

import java.io.IOException;

/**
 * One of the compared ways to read a part of the benchmark's file. Safe for use by many threads.
 */
interface Reader extends AutoCloseable {
    String name();

    void read(long offset, byte[] buffer, int length) throws IOException;

    @Override
    default void close() throws IOException {}
}
