package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;

/**
 * The base class of the object writers of stores, which counts the position and refuses writes
 * after a commit or close.
 */
public abstract class TrackedObjectWriter extends ObjectWriter {
    private final String where;
    private long position;
    private boolean open = true;

    /**
     * @param where the location of the object, for messages
     */
    protected TrackedObjectWriter(String where) {
        this.where = requireNonNull(where, "where is null");
    }

    @Override
    public final void write(byte[] bytes, int offset, int length) throws IOException {
        checkOpen();
        append(bytes, offset, length);
        position += length;
    }

    /** Appends bytes to the object. */
    protected abstract void append(byte[] bytes, int offset, int length) throws IOException;

    @Override
    public final long position() {
        return position;
    }

    protected final String where() {
        return where;
    }

    protected final void checkOpen() throws IOException {
        if (!open) {
            throw new IOException(
                    "Expected an open writer, found it committed or closed: " + where);
        }
    }

    /** Refuses writes from now on; returns false if it refused them already. */
    protected final boolean end() {
        boolean wasOpen = open;
        open = false;
        return wasOpen;
    }
}
