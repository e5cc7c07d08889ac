package io.stele.protocol.wire;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** An encoder of a frame's payload, field by field, big-endian. Confined to one thread. */
final class PayloadWriter {
    private byte[] buffer;
    private int position;

    PayloadWriter(int capacityBytes) {
        buffer = new byte[Math.max(16, capacityBytes)];
    }

    PayloadWriter putByte(int value) {
        ensure(1);
        buffer[position++] = (byte) value;
        return this;
    }

    PayloadWriter putInt(int value) {
        ensure(4);
        BigEndian.putInt(buffer, position, value);
        position += 4;
        return this;
    }

    PayloadWriter putLong(long value) {
        ensure(8);
        BigEndian.putLong(buffer, position, value);
        position += 8;
        return this;
    }

    PayloadWriter putVarint(int value) {
        ensure(Varint.MAX_BYTES);
        position = Varint.put(buffer, position, value);
        return this;
    }

    PayloadWriter putBytes(byte[] bytes, int offset, int length) {
        ensure(length);
        System.arraycopy(bytes, offset, buffer, position, length);
        position += length;
        return this;
    }

    /** Writes a varint length and bytes. */
    PayloadWriter putSizedBytes(byte[] bytes) {
        return putVarint(bytes.length).putBytes(bytes, 0, bytes.length);
    }

    /** Writes a varint length and UTF-8 bytes. */
    PayloadWriter putText(String what, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > WireLimits.MAX_TEXT_BYTES) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a "
                            + what
                            + " of at most "
                            + WireLimits.MAX_TEXT_BYTES
                            + " bytes, found "
                            + bytes.length);
        }
        return putSizedBytes(bytes);
    }

    int sizeBytes() {
        return position;
    }

    byte[] toByteArray() {
        return position == buffer.length ? buffer : Arrays.copyOf(buffer, position);
    }

    private void ensure(int additional) {
        long needed = (long) position + additional;
        if (needed <= buffer.length) {
            return;
        }
        if (needed > WireLimits.MAX_FRAME_BYTES) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a payload of at most "
                            + WireLimits.MAX_FRAME_BYTES
                            + " bytes, found "
                            + needed);
        }
        buffer =
                Arrays.copyOf(
                        buffer,
                        (int)
                                Math.min(
                                        Math.max(needed, 2L * buffer.length),
                                        WireLimits.MAX_FRAME_BYTES));
    }
}
