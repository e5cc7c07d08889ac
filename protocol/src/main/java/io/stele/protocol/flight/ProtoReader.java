package io.stele.protocol.flight;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A decoder of the fields of a protobuf message of Flight; unknown fields are skipped, so that
 * messages of newer peers can be read. Ranges of the message are returned without copying. Confined
 * to one thread.
 */
final class ProtoReader {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;

    private final ByteBuffer message;
    private int wireType;
    private boolean taken = true;

    ProtoReader(ByteBuffer message) {
        this.message = message.duplicate();
    }

    /** The number of the next field; 0 at the end. */
    int next() {
        if (!taken) {
            skip();
        }
        if (!message.hasRemaining()) {
            return 0;
        }
        long tag = varint();
        wireType = (int) tag & 7;
        taken = false;
        if (tag >>> 3 == 0 || tag >>> 3 > 0x1FFF_FFFF) {
            throw malformed("a field number, found " + (tag >>> 3));
        }
        return (int) (tag >>> 3);
    }

    long integer() {
        expect(VARINT);
        return varint();
    }

    String text() {
        return StandardCharsets.UTF_8.decode(bytes()).toString();
    }

    byte[] byteArray() {
        ByteBuffer range = bytes();
        byte[] copy = new byte[range.remaining()];
        range.get(copy);
        return copy;
    }

    /** The bytes of the field, as a range of the message. */
    ByteBuffer bytes() {
        expect(BYTES);
        long length = varint();
        if (length < 0 || length > message.remaining()) {
            throw malformed(
                    "a field of at most " + message.remaining() + " bytes, found " + length);
        }
        ByteBuffer range = message.slice(message.position(), (int) length);
        message.position(message.position() + (int) length);
        return range;
    }

    private void expect(int type) {
        if (wireType != type) {
            throw malformed("wire type " + type + ", found " + wireType);
        }
        taken = true;
    }

    private void skip() {
        switch (wireType) {
            case VARINT -> integer();
            case BYTES -> bytes();
            case FIXED64 -> skipFixed(8);
            case FIXED32 -> skipFixed(4);
            default -> throw malformed("wire type 0, 1, 2 or 5, found " + wireType);
        }
    }

    private void skipFixed(int length) {
        if (message.remaining() < length) {
            throw malformed(length + " bytes, found " + message.remaining());
        }
        message.position(message.position() + length);
        taken = true;
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            if (!message.hasRemaining()) {
                throw malformed("a varint, found the end");
            }
            byte part = message.get();
            value |= (long) (part & 0x7F) << shift;
            if (part >= 0) {
                return value;
            }
        }
        throw malformed("a varint of at most 10 bytes");
    }

    private SteleException malformed(String expected) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Malformed Flight message: expected "
                        + expected
                        + ", at byte "
                        + message.position()
                        + " of "
                        + message.limit());
    }
}
