package io.stele.protocol.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.SchemaJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * The JSON codec of the records of this package: UTF-8, byte arrays as base64, absent optionals as
 * null. Stateless.
 */
public final class ApiJson {
    private ApiJson() {}

    public static byte[] write(Object message) {
        try {
            return SchemaJson.mapper().writeValueAsBytes(message);
        } catch (JsonProcessingException e) {
            throw new SteleException(
                    ErrorCode.INTERNAL, "Cannot write a " + message.getClass().getSimpleName(), e);
        }
    }

    /**
     * Writes a message to a stream and closes the stream, for example to count its length first.
     */
    public static void write(Object message, OutputStream output) {
        try {
            SchemaJson.mapper().writeValue(output, message);
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.INTERNAL, "Cannot write a " + message.getClass().getSimpleName(), e);
        }
    }

    /** The JSON of a message, whose size in bytes is known to be {@code sizeBytes}. */
    public static byte[] write(Object message, int sizeBytes) {
        byte[] json = new byte[sizeBytes];
        ByteBuffer target = ByteBuffer.wrap(json);
        write(
                message,
                new OutputStream() {
                    @Override
                    public void write(int value) {
                        target.put((byte) value);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        target.put(bytes, offset, length);
                    }
                });
        if (target.hasRemaining()) {
            throw new IllegalStateException(
                    "Expected %d bytes of JSON, found %d".formatted(sizeBytes, target.position()));
        }
        return json;
    }

    /**
     * Reads a message of a type.
     *
     * @throws SteleException INVALID_ARGUMENT if the bytes are not the JSON of the type, or fail
     *     its checks
     */
    public static <T> T read(byte[] json, Class<T> type) {
        return read(json, 0, json.length, type);
    }

    public static <T> T read(byte[] json, int offset, int length, Class<T> type) {
        try {
            T message = SchemaJson.mapper().readValue(json, offset, length, type);
            if (message == null) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected the JSON of a " + type.getSimpleName() + ", found null");
            }
            return message;
        } catch (JsonMappingException e) {
            if (e.getCause() instanceof SteleException cause) {
                throw cause;
            }
            throw malformed(type, e);
        } catch (IOException e) {
            throw malformed(type, e);
        }
    }

    private static SteleException malformed(Class<?> type, IOException cause) {
        String found =
                cause instanceof JsonProcessingException json
                        ? json.getOriginalMessage()
                        : cause.getMessage();
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected the JSON of a " + type.getSimpleName() + ", found: " + found,
                cause);
    }
}
