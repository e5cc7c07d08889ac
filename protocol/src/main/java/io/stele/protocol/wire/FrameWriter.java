package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.io.OutputStream;

/**
 * An encoder of frames of the framed protocol to a socket's stream. Small frames are buffered until
 * {@link #flush}; large frames bypass the buffer. Confined to one thread, or guarded by its user.
 */
public final class FrameWriter {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int HEAD_BYTES = 4 + WireLimits.FRAME_OVERHEAD_BYTES;
    private static final byte[] EMPTY = new byte[0];

    private final OutputStream output;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private long appended; // bytes of payloads

    public FrameWriter(OutputStream output) {
        this.output = requireNonNull(output, "output is null");
    }

    /** Writes a frame whose payload is a whole array. */
    public void write(FrameType type, int requestId, byte[] payload) throws IOException {
        write(type, requestId, payload, payload.length, EMPTY, 0, 0);
    }

    /**
     * Writes a frame whose payload is {@code head[0, headLength)} and then {@code body[offset,
     * offset + length)}.
     *
     * @throws SteleException INVALID_ARGUMENT if it is larger than any frame may be; then nothing
     *     is written
     */
    public void write(
            FrameType type,
            int requestId,
            byte[] head,
            int headLength,
            byte[] body,
            int bodyOffset,
            int bodyLength)
            throws IOException {
        writeHead(type, requestId, (long) headLength + bodyLength);
        append(head, 0, headLength);
        append(body, bodyOffset, bodyLength);
    }

    /**
     * Writes a frame whose payload is produced in pieces.
     *
     * @throws SteleException INVALID_ARGUMENT if it is larger than any frame may be; then nothing
     *     is written
     */
    public void write(FrameType type, int requestId, FramePayload payload) throws IOException {
        writeHead(type, requestId, payload.sizeBytes());
        long end = appended + payload.sizeBytes();
        payload.writeTo(this::append);
        if (appended != end) {
            // The peer could not find the start of the next frame
            throw new IllegalStateException(
                    "Expected a payload of %d bytes, found %d"
                            .formatted(payload.sizeBytes(), appended - end + payload.sizeBytes()));
        }
    }

    private void writeHead(FrameType type, int requestId, long payloadLength) throws IOException {
        long length = WireLimits.FRAME_OVERHEAD_BYTES + payloadLength;
        if (length > WireLimits.MAX_FRAME_BYTES) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a "
                            + type
                            + " frame of at most "
                            + WireLimits.MAX_FRAME_BYTES
                            + " bytes, found "
                            + length);
        }
        if (buffer.length - position < HEAD_BYTES) {
            drain();
        }
        BigEndian.putInt(buffer, position, (int) length);
        buffer[position + 4] = type.code();
        BigEndian.putInt(buffer, position + 5, requestId);
        position += HEAD_BYTES;
    }

    /** Writes everything so far to the stream and flushes the stream. */
    public void flush() throws IOException {
        drain();
        output.flush();
    }

    private void append(byte[] source, int offset, int length) throws IOException {
        appended += length;
        if (length > buffer.length - position) {
            drain();
            if (length > buffer.length / 2) {
                output.write(source, offset, length);
                return;
            }
        }
        System.arraycopy(source, offset, buffer, position, length);
        position += length;
    }

    private void drain() throws IOException {
        if (position > 0) {
            int length = position;
            position = 0;
            output.write(buffer, 0, length);
        }
    }
}
