package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.paimon.fs.PositionOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Paimon's output stream to a file of a lake that replaces an existing file when the stream is
 * closed. A small file, such as a hint, replaces it in one step; before a large file is written,
 * the existing file is deleted. Confined to one thread at a time.
 */
final class ReplacingOutputStream extends PositionOutputStream {
    /** 16 MiB, as a part of an upload. */
    private static final int MAX_BUFFER_BYTES = 16 << 20;

    private final ObjectStore store;
    private final String path;
    private @Nullable ByteArrayOutputStream small = new ByteArrayOutputStream();
    private @Nullable LakeOutputStream large;
    private boolean closed;

    ReplacingOutputStream(ObjectStore store, String path) {
        this.store = requireNonNull(store, "store is null");
        this.path = requireNonNull(path, "path is null");
    }

    @Override
    public long getPos() {
        return small == null ? requireNonNull(large).getPos() : small.size();
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
        ByteArrayOutputStream buffer = small;
        if (buffer != null && buffer.size() + length <= MAX_BUFFER_BYTES) {
            buffer.write(bytes, offset, length);
            return;
        }
        if (buffer != null) {
            store.delete(path);
            large = new LakeOutputStream(store.create(path));
            small = null;
            large.write(buffer.toByteArray());
        }
        requireNonNull(large).write(bytes, offset, length);
    }

    @Override
    public void flush() {}

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (small != null) {
            store.put(path, small.toByteArray());
        } else {
            requireNonNull(large).close();
        }
    }
}
