package io.stele.objectstore.retrieval.http;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The unencrypted transport of an HTTP connection. Confined to its event loop. */
final class PlainTransport implements Transport {
    private final SocketChannel channel;
    private boolean pending;

    PlainTransport(SocketChannel channel) {
        this.channel = requireNonNull(channel, "channel is null");
    }

    @Override
    public boolean handshake() {
        return true;
    }

    @Override
    public boolean write(ByteBuffer bytes) throws IOException {
        channel.write(bytes);
        pending = bytes.hasRemaining();
        return !pending;
    }

    /**
     * A target on the heap is filled by way of the scratch buffer, which stays in the processor's
     * cache; the channel would do the same with a buffer of the target's size.
     */
    @Override
    public int read(ByteBuffer target, ByteBuffer scratch) throws IOException {
        if (target.isDirect()) {
            return channel.read(target);
        }
        scratch.clear().limit(Math.min(scratch.capacity(), target.remaining()));
        int count = channel.read(scratch);
        target.put(scratch.flip());
        return count;
    }

    @Override
    public boolean wantsWrite() {
        return pending;
    }
}
