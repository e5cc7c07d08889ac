package io.stele.protocol.flight;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * An input stream over several buffers, of known length, from which gRPC sends a Flight message
 * without an additional copy.
 */
final class BufferStream extends InputStream implements KnownLength, Drainable {
    private static final int CHUNK_BYTES = 64 << 10;

    private final List<ByteBuffer> parts;
    private int index;

    BufferStream(List<ByteBuffer> parts) {
        this.parts = parts;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
        int drained = 0;
        for (; index < parts.size(); index++) {
            drained += drain(parts.get(index), target);
        }
        return drained;
    }

    private static int drain(ByteBuffer part, OutputStream target) throws IOException {
        int length = part.remaining();
        if (part.hasArray()) {
            target.write(part.array(), part.arrayOffset() + part.position(), length);
            part.position(part.limit());
            return length;
        }
        byte[] chunk = new byte[Math.min(CHUNK_BYTES, length)];
        while (part.hasRemaining()) {
            int count = Math.min(chunk.length, part.remaining());
            part.get(chunk, 0, count);
            target.write(chunk, 0, count);
        }
        return length;
    }

    @Override
    public int available() {
        long available = 0;
        for (int i = index; i < parts.size(); i++) {
            available += parts.get(i).remaining();
        }
        return Math.toIntExact(available);
    }

    @Override
    public int read() {
        return skipEmpty() ? parts.get(index).get() & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        if (!skipEmpty()) {
            return -1;
        }
        int count = Math.min(length, parts.get(index).remaining());
        parts.get(index).get(target, offset, count);
        return count;
    }

    private boolean skipEmpty() {
        while (index < parts.size() && !parts.get(index).hasRemaining()) {
            index++;
        }
        return index < parts.size();
    }
}
