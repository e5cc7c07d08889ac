package io.stele.protocol.flight;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A codec of the encapsulated form of Arrow IPC messages, as in FlightInfo and SchemaResult: {@code
 * FF FF FF FF | length 4, little endian | flatbuffer | zeros to a multiple of 8}.
 */
public final class IpcMessages {
    private static final int CONTINUATION = 0xFFFFFFFF;

    private IpcMessages() {}

    public static byte[] encapsulate(ByteBuffer flatbuffer) {
        int length = (flatbuffer.remaining() + 7) & ~7;
        ByteBuffer message = ByteBuffer.allocate(8 + length).order(ByteOrder.LITTLE_ENDIAN);
        message.putInt(CONTINUATION).putInt(length).put(flatbuffer.duplicate());
        return message.array();
    }

    /**
     * The flatbuffer of an encapsulated message.
     *
     * @throws SteleException INVALID_ARGUMENT if the bytes are no encapsulated message
     */
    public static ByteBuffer decapsulate(byte[] message) {
        ByteBuffer buffer = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        if (buffer.remaining() < 8 || buffer.getInt() != CONTINUATION) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an encapsulated Arrow message, found " + message.length + " bytes");
        }
        int length = buffer.getInt();
        if (length < 0 || length > buffer.remaining()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an Arrow message of "
                            + length
                            + " bytes, found "
                            + buffer.remaining());
        }
        return buffer.slice(8, length);
    }
}
