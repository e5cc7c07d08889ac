package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectWriter;
import java.io.IOException;
import org.apache.paimon.fs.PositionOutputStream;

/**
 * Paimon's output stream to a new file of a lake, which appears whole when the stream is closed,
 * unless a write failed. Confined to one thread at a time.
 */
final class LakeOutputStream extends PositionOutputStream {
    private final ObjectWriter writer;
    private boolean failed;
    private boolean closed;

    LakeOutputStream(ObjectWriter writer) {
        this.writer = requireNonNull(writer, "writer is null");
    }

    @Override
    public long getPos() {
        return writer.position();
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        boolean written = false;
        try {
            writer.write(bytes, offset, length);
            written = true;
        } finally {
            failed |= !written;
        }
    }

    /** Nothing is visible before the end. */
    @Override
    public void flush() {}

    /**
     * @throws java.nio.file.FileAlreadyExistsException if there is a file of this name by now,
     *     which stays
     */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try (writer) {
            if (!failed) {
                writer.commit();
            }
        }
    }
}
