package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of frames of the framed protocol from a socket's stream: {@code u32 length | u8 type |
 * u32 request id | payload}, big-endian. The length counts everything after itself. Confined to one
 * thread.
 */
public final class FrameReader {
    // 64 KiB: about sixty small frames for each system call; a larger payload is read directly into
    // its array.
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int HEAD_BYTES = 4 + WireLimits.FRAME_OVERHEAD_BYTES;

    private final InputStream input;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int limit;
    private int maxFrameBytes;

    public FrameReader(InputStream input, int maxFrameBytes) {
        this.input = requireNonNull(input, "input is null");
        setMaxFrameBytes(maxFrameBytes);
    }

    /** Changes the limit, for example after the peer was authenticated. */
    public void setMaxFrameBytes(int maxFrameBytes) {
        if (maxFrameBytes < WireLimits.FRAME_OVERHEAD_BYTES
                || maxFrameBytes > WireLimits.MAX_FRAME_BYTES) {
            throw new IllegalArgumentException(
                    "Expected a frame limit from "
                            + WireLimits.FRAME_OVERHEAD_BYTES
                            + " to "
                            + WireLimits.MAX_FRAME_BYTES
                            + ", found "
                            + maxFrameBytes);
        }
        this.maxFrameBytes = maxFrameBytes;
    }

    /** Whether a whole head is buffered. If so, a server need not flush its replies yet. */
    public boolean hasBuffered() {
        return limit - position >= HEAD_BYTES;
    }

    /**
     * Reads the next frame; null if the stream ends between two frames.
     *
     * @throws EOFException if the stream ends inside a frame
     * @throws SteleException INVALID_ARGUMENT if the length is out of bounds or the type is
     *     unknown; the stream cannot be read any further
     */
    public @Nullable Frame read() throws IOException {
        FrameHead head = readHead();
        return head == null ? null : readPayload(head);
    }

    /**
     * Reads the head of the next frame; null if the stream ends between two frames. The caller may
     * reserve room for the payload, and must then call {@link #readPayload} or {@link #readStart}.
     */
    public @Nullable FrameHead readHead() throws IOException {
        if (limit - position < HEAD_BYTES && !fillHead()) {
            return null;
        }
        int length = BigEndian.getInt(buffer, position);
        if (length < WireLimits.FRAME_OVERHEAD_BYTES || length > maxFrameBytes) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a frame length from "
                            + WireLimits.FRAME_OVERHEAD_BYTES
                            + " to "
                            + maxFrameBytes
                            + ", found "
                            + Integer.toUnsignedString(length));
        }
        FrameType type = FrameType.of(buffer[position + 4]);
        int requestId = BigEndian.getInt(buffer, position + 5);
        position += HEAD_BYTES;
        return new FrameHead(type, requestId, length - WireLimits.FRAME_OVERHEAD_BYTES);
    }

    /** Reads the frame of the head that was read last. */
    public Frame readPayload(FrameHead head) throws IOException {
        return new Frame(head.type(), head.requestId(), readBytes(head.payloadLength()));
    }

    /**
     * Reads the frame of the head that was read last, with the first {@code maxBytes} bytes of its
     * payload. The remaining bytes are skipped and need no memory.
     */
    public Frame readStart(FrameHead head, int maxBytes) throws IOException {
        int length = Math.min(head.payloadLength(), maxBytes);
        byte[] start = readBytes(length);
        skip(head.payloadLength() - length);
        return new Frame(head.type(), head.requestId(), start);
    }

    private boolean fillHead() throws IOException {
        int buffered = limit - position;
        System.arraycopy(buffer, position, buffer, 0, buffered);
        position = 0;
        limit = buffered;
        while (limit < HEAD_BYTES) {
            int count = input.read(buffer, limit, buffer.length - limit);
            if (count < 0) {
                if (limit == 0) {
                    return false;
                }
                throw new EOFException(
                        "Expected " + HEAD_BYTES + " bytes of a frame head, found " + limit);
            }
            limit += count;
        }
        return true;
    }

    private byte[] readBytes(int length) throws IOException {
        byte[] payload = new byte[length];
        int copied = Math.min(length, limit - position);
        System.arraycopy(buffer, position, payload, 0, copied);
        position += copied;
        while (copied < length) {
            int count =
                    length - copied < buffer.length / 2
                            ? refillInto(payload, copied)
                            : input.read(payload, copied, length - copied);
            if (count < 0) {
                throw new EOFException(
                        "Expected " + length + " bytes of a frame payload, found " + copied);
            }
            copied += count;
        }
        return payload;
    }

    private void skip(int length) throws IOException {
        int skipped = Math.min(length, limit - position);
        position += skipped;
        while (skipped < length) {
            if (!refill()) {
                throw new EOFException(
                        "Expected %d more bytes of a frame payload, found %d"
                                .formatted(length, skipped));
            }
            position = Math.min(limit, length - skipped);
            skipped += position;
        }
    }

    /** Refills the buffer, all bytes of which have been used; false at the end of the stream. */
    private boolean refill() throws IOException {
        position = 0;
        limit = Math.max(0, input.read(buffer, 0, buffer.length));
        return limit > 0;
    }

    private int refillInto(byte[] payload, int offset) throws IOException {
        if (!refill()) {
            return -1;
        }
        int count = Math.min(limit, payload.length - offset);
        System.arraycopy(buffer, 0, payload, offset, count);
        position = count;
        return count;
    }
}
