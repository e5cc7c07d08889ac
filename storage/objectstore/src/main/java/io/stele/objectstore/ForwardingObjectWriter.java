package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.io.IOException;

/**
 * A base class of object writer wrappers that forwards every call to another writer; a subclass
 * overrides what it changes.
 */
public abstract class ForwardingObjectWriter extends ObjectWriter {
    private final ObjectWriter writer;

    protected ForwardingObjectWriter(ObjectWriter writer) {
        this.writer = requireNonNull(writer, "writer is null");
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        writer.write(bytes, offset, length);
    }

    @Override
    public long position() {
        return writer.position();
    }

    @Override
    public void commit() throws IOException {
        writer.commit();
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
