package io.stele.objectstore;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A writer of one object, which becomes visible, whole and durable, only when {@link #commit}
 * returns. {@link #close} without commit discards the bytes, so a try-with-resources block that
 * fails half-way publishes nothing.
 *
 * <p>Confined to one thread at a time.
 */
public abstract class ObjectWriter extends OutputStream {
    private final byte[] single = new byte[1];

    @Override
    public final void write(int value) throws IOException {
        single[0] = (byte) value;
        write(single, 0, 1);
    }

    @Override
    public abstract void write(byte[] bytes, int offset, int length) throws IOException;

    /** The number of bytes written so far. */
    public abstract long position();

    /**
     * Publishes the object.
     *
     * @throws java.nio.file.FileAlreadyExistsException if an object of this path exists; it stays
     *     as it is
     */
    public abstract void commit() throws IOException;

    /** Aborts unless {@link #commit} has succeeded. */
    @Override
    public abstract void close() throws IOException;
}
