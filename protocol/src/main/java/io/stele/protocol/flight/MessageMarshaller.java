package io.stele.protocol.flight;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Function;

/**
 * A gRPC marshaller of one kind of Flight message between its record and its protobuf bytes.
 * Thread-safe.
 */
final class MessageMarshaller<T> implements MethodDescriptor.Marshaller<T> {
    private final Function<T, InputStream> encoder;
    private final Function<ByteBuffer, T> decoder;
    private final int maxBytes;

    private MessageMarshaller(
            Function<T, InputStream> encoder, Function<ByteBuffer, T> decoder, int maxBytes) {
        this.encoder = encoder;
        this.decoder = decoder;
        this.maxBytes = maxBytes;
    }

    static <T> MessageMarshaller<T> of(
            Function<T, byte[]> encoder, Function<ByteBuffer, T> decoder) {
        return limited(Integer.MAX_VALUE, encoder, decoder);
    }

    /** A marshaller that refuses messages of more than a limit, also after decompression. */
    static <T> MessageMarshaller<T> limited(
            int maxBytes, Function<T, byte[]> encoder, Function<ByteBuffer, T> decoder) {
        return new MessageMarshaller<>(
                message -> new KnownLengthBytes(encoder.apply(message)), decoder, maxBytes);
    }

    /** A marshaller of messages whose encoder returns a stream. */
    static <T> MessageMarshaller<T> streaming(
            Function<T, InputStream> encoder, Function<ByteBuffer, T> decoder) {
        return new MessageMarshaller<>(encoder, decoder, Integer.MAX_VALUE);
    }

    @Override
    public InputStream stream(T message) {
        return encoder.apply(message);
    }

    @Override
    public T parse(InputStream stream) {
        try {
            return decoder.apply(ByteBuffer.wrap(readAll(stream)));
        } catch (IOException e) {
            throw Status.INTERNAL
                    .withDescription("Cannot read a Flight message")
                    .withCause(e)
                    .asRuntimeException();
        } catch (SteleException e) {
            throw Status.INVALID_ARGUMENT
                    .withDescription(e.getMessage())
                    .withCause(e)
                    .asRuntimeException();
        }
    }

    private byte[] readAll(InputStream stream) throws IOException {
        if (stream instanceof KnownLength) {
            if (stream.available() > maxBytes) {
                throw tooLarge();
            }
            byte[] bytes = new byte[stream.available()];
            int read = stream.readNBytes(bytes, 0, bytes.length);
            if (read != bytes.length) {
                throw new IOException("Expected " + bytes.length + " bytes, found " + read);
            }
            return bytes;
        }
        byte[] bytes = stream.readNBytes(maxBytes);
        if (bytes.length == maxBytes && stream.read() >= 0) {
            throw tooLarge();
        }
        return bytes;
    }

    private SteleException tooLarge() {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected a message of at most " + maxBytes + " bytes, found more");
    }

    private static final class KnownLengthBytes extends ByteArrayInputStream
            implements KnownLength {
        KnownLengthBytes(byte[] bytes) {
            super(bytes);
        }
    }
}
