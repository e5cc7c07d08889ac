package io.stele.objectstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A writer of an object of a local store: it writes a temporary file and publishes it on commit.
 * Confined to one thread at a time.
 */
final class LocalObjectWriter extends TrackedObjectWriter {
    /** Small writes are gathered up to this size. */
    private static final int BUFFER_BYTES = 128 << 10;

    private final FileChannel channel;
    private final Ending ending;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    /** The final actions on the temporary file. */
    interface Ending {
        /** Gives the complete and synced file its name. */
        void publish() throws IOException;

        /** Removes the temporary name. */
        void discard() throws IOException;
    }

    LocalObjectWriter(FileChannel channel, String name, Ending ending) {
        super(name);
        this.channel = channel;
        this.ending = ending;
    }

    @Override
    protected void append(byte[] bytes, int offset, int length) throws IOException {
        if (length > buffer.remaining()) {
            flushBuffer();
        }
        if (length > buffer.capacity()) {
            writeFully(ByteBuffer.wrap(bytes, offset, length));
        } else {
            buffer.put(bytes, offset, length);
        }
    }

    private void flushBuffer() throws IOException {
        buffer.flip();
        writeFully(buffer);
        buffer.clear();
    }

    private void writeFully(ByteBuffer source) throws IOException {
        int end = source.limit();
        while (source.position() < end) {
            // In steps: the JDK copies a heap buffer to a native one of the same size, and caches
            // that.
            source.limit(Math.min(end, source.position() + BUFFER_BYTES));
            channel.write(source);
        }
    }

    @Override
    public void commit() throws IOException {
        checkOpen();
        try {
            flushBuffer();
            channel.force(true);
            channel.close();
            ending.publish();
        } finally {
            close();
        }
    }

    @Override
    public void close() throws IOException {
        if (end()) {
            channel.close();
            ending.discard();
        }
    }
}
