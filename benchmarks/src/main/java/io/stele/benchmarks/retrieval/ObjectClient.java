package io.stele.benchmarks.retrieval;

import java.nio.ByteBuffer;

/** A client of S3 that reads into a buffer of the caller's. Safe for use by many threads. */
interface ObjectClient extends AutoCloseable {
    /** Fills the buffer, from 0, with the bytes of an object from {@code offset}; blocks. */
    void read(String key, long offset, ByteBuffer buffer) throws Exception;
}
