package io.stele.cache.page.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The file operations of the page cache on one of its directories, an interface to the disk that
 * tests simulate. Nothing needs to be durable, because checksums detect lost and torn writes.
 *
 * <p>Safe for use by many threads at once.
 */
public interface CacheFiles extends AutoCloseable {
    /** Opens the directory, for this process alone; may be called again after a failure. */
    @FunctionalInterface
    interface Opener {
        CacheFiles open() throws IOException;
    }

    /** The names of all files. */
    List<String> list() throws IOException;

    /** Opens a file for reading and writing, and creates it if it does not exist. */
    CacheFile open(String name) throws IOException;

    /** Renames a file atomically; replaces a file that has the name. */
    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** The bytes that can be written before the disk is full. */
    long usableBytes() throws IOException;

    @Override
    void close() throws IOException;

    /** An open file; an interrupt of one thread does not affect other threads. */
    interface CacheFile extends AutoCloseable {
        long sizeBytes() throws IOException;

        /**
         * Reads from {@code position} until {@code target} is full.
         *
         * @throws java.io.EOFException if the file ends before
         */
        void read(ByteBuffer target, long position) throws IOException;

        /** Writes all of {@code source} at {@code position}. */
        void write(ByteBuffer source, long position) throws IOException;

        @Override
        void close() throws IOException;
    }
}
