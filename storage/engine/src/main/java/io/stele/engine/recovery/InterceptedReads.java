package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ReadTally;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletableFuture;

/**
 * A base class of object store wrappers with one method for all reads of contents, which
 * distinguishes an outage from damage of an object. Thread-safe.
 */
abstract class InterceptedReads extends ForwardingObjectStore {
    /** The offset of a read of a whole object. */
    static final long WHOLE = -1;

    InterceptedReads(ObjectStore store) {
        super(store);
    }

    /**
     * Reads from the wrapped store, and repeats the read if that may help.
     *
     * @param offset in bytes, or {@link #WHOLE}
     */
    abstract <T> T intercept(String path, long offset, Read<T> read) throws IOException;

    /** A read of the wrapped store. */
    @FunctionalInterface
    interface Read<T> {
        T read() throws IOException;
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        return intercept(path, WHOLE, () -> delegate().readFully(path));
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        intercept(
                path,
                offset,
                () -> {
                    delegate().read(path, offset, buffer, bufferOffset, length);
                    return true;
                });
    }

    /** A reader of the wrapped store, with its reads intercepted. */
    final ObjectReader intercepted(String path, ObjectReader reader) {
        return new InterceptedReader(path, reader);
    }

    /**
     * Reads an object that was returned before; if it was deleted meanwhile, that is an answer too.
     *
     * @throws IOException when the store does not answer
     */
    final void checkAnswers(String returnedBefore) throws IOException {
        try {
            delegate().readFully(returnedBefore);
        } catch (NoSuchFileException answer) {
            // Deleted meanwhile
        }
    }

    /**
     * The CORRUPT_DATA failure of one object that the store does not return.
     *
     * @param attempts how often the read was tried, as text
     */
    final SteleException damage(String path, String attempts, IOException failed) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected to read %s as other objects of the store, found in %s: %s"
                        .formatted(describe(path), attempts, failed),
                failed);
    }

    private final class InterceptedReader implements ObjectReader {
        private final String path;
        private final ObjectReader reader;

        private InterceptedReader(String path, ObjectReader reader) {
            this.path = requireNonNull(path, "path is null");
            this.reader = requireNonNull(reader, "reader is null");
        }

        @Override
        public void read(long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            intercept(
                    path,
                    offset,
                    () -> {
                        reader.read(offset, buffer, bufferOffset, length);
                        return true;
                    });
        }

        @Override
        public boolean isPrefetching() {
            return reader.isPrefetching();
        }

        @Override
        public CompletableFuture<Long> prefetch(long offset, long length) {
            return reader.prefetch(offset, length);
        }

        @Override
        public ObjectReader admittingOnSecondAccess() {
            return intercepted(path, reader.admittingOnSecondAccess());
        }

        @Override
        public ReadTally tally() {
            return reader.tally();
        }
    }
}
