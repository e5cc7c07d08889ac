package io.stele.cache.page.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The files of one cache directory. Nothing needs to be durable: what a crash loses or tears is
 * found out by checksums.
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

    /** Gives a file another name, instead of the file that has it; at once or not at all. */
    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** The bytes that can be written before the disk is full. */
    long usableBytes() throws IOException;

    @Override
    void close() throws IOException;

    /** One file; an interrupt of one thread does not affect other users. */
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
