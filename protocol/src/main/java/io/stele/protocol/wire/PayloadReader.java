package io.stele.protocol.wire;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A decoder of a frame's payload, field by field, which checks every read against the payload's
 * end. Confined to one thread.
 */
final class PayloadReader {
    private final FrameType type;
    private final byte[] payload;
    private int position;

    /** Reads the payload of a frame that must have a given type. */
    PayloadReader(FrameType type, Frame frame) {
        if (frame.type() != type) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a " + type + " frame, found " + frame.type());
        }
        this.type = type;
        this.payload = frame.payload();
    }

    byte getByte(String what) {
        require(what, 1);
        return payload[position++];
    }

    int getInt(String what) {
        require(what, 4);
        position += 4;
        return BigEndian.getInt(payload, position - 4);
    }

    long getLong(String what) {
        require(what, 8);
        position += 8;
        return BigEndian.getLong(payload, position - 8);
    }

    Lsn getLsn(String what) {
        long value = getLong(what);
        if (value < 0) {
            throw malformed("a " + what + " >= 0", value);
        }
        return new Lsn(value);
    }

    TableId getTableId() {
        long value = getLong("table id");
        if (value <= 0) {
            throw malformed("a table id > 0", value);
        }
        return new TableId(value);
    }

    int getVarint(String what) {
        long read = Varint.get(payload, position, payload.length);
        if (read < 0) {
            throw malformed("a varint " + what, payload.length - position);
        }
        position = (int) (read >>> 32);
        return (int) read;
    }

    /**
     * Reads a varint count of elements of at least {@code minBytes} each; refuses a count that
     * cannot fit the payload.
     */
    int getCount(String what, int minBytes) {
        int count = getVarint(what);
        if ((long) count * minBytes > payload.length - position) {
            throw malformed(
                    (long) count * minBytes + " bytes of " + what, payload.length - position);
        }
        return count;
    }

    /**
     * Reads one byte of flags; unknown flags are refused, because the bytes that belong to them
     * cannot be read.
     */
    int getFlags(String what, int known) {
        int flags = getByte(what) & 0xFF;
        if ((flags & ~known) != 0) {
            throw malformed(what + " among the bits " + known, flags);
        }
        return flags;
    }

    /** Reads a varint length and bytes. */
    byte[] getSizedBytes(String what) {
        return getBytes(what, getVarint(what));
    }

    byte[] getBytes(String what, int length) {
        require(what, length);
        position += length;
        return Arrays.copyOfRange(payload, position - length, position);
    }

    String getText(String what) {
        int length = getVarint(what);
        if (length > WireLimits.MAX_TEXT_BYTES) {
            throw malformed(
                    "a " + what + " of at most " + WireLimits.MAX_TEXT_BYTES + " bytes", length);
        }
        require(what, length);
        position += length;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload, position - length, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Malformed " + type + ": " + what + " is not UTF-8",
                    e);
        }
    }

    /** Consumes the remaining bytes; returns their start. */
    int rest() {
        return position;
    }

    /** Whether bytes remain, such as additions of a later version. */
    boolean hasMore() {
        return position < payload.length;
    }

    /** Checks that no bytes remain. */
    void end() {
        if (position != payload.length) {
            throw malformed("the end of the payload", payload.length - position);
        }
    }

    SteleException malformed(String expected, long found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Malformed "
                        + type
                        + ": expected "
                        + expected
                        + ", found "
                        + found
                        + ", at byte "
                        + position
                        + " of "
                        + payload.length);
    }

    /** The error for field values that a record's constructor refuses. */
    SteleException malformed(IllegalArgumentException wrong) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT, "Malformed " + type + ": " + wrong.getMessage(), wrong);
    }

    private void require(String what, int length) {
        if (length > payload.length - position) {
            throw malformed(length + " bytes of " + what, payload.length - position);
        }
    }
}
