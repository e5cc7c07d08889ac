package io.stele.protocol.flight;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.stele.protocol.SteleException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** Moves a message between its record and its protobuf bytes. Thread-safe. */
final class MessageMarshaller<T> implements MethodDescriptor.Marshaller<T> {
    private final Function<T, InputStream> encoder;
    private final Function<ByteBuffer, T> decoder;

    private MessageMarshaller(Function<T, InputStream> encoder, Function<ByteBuffer, T> decoder) {
        this.encoder = encoder;
        this.decoder = decoder;
    }

    static <T> MessageMarshaller<T> of(
            Function<T, byte[]> encoder, Function<ByteBuffer, T> decoder) {
        return new MessageMarshaller<>(
                message -> new KnownLengthBytes(encoder.apply(message)), decoder);
    }

    /** For messages that bring their own stream. */
    static <T> MessageMarshaller<T> streaming(
            Function<T, InputStream> encoder, Function<ByteBuffer, T> decoder) {
        return new MessageMarshaller<>(encoder, decoder);
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

    private static byte[] readAll(InputStream stream) throws IOException {
        if (stream instanceof KnownLength) {
            byte[] bytes = new byte[stream.available()];
            int read = stream.readNBytes(bytes, 0, bytes.length);
            if (read != bytes.length) {
                throw new IOException("Expected " + bytes.length + " bytes, found " + read);
            }
            return bytes;
        }
        return stream.readAllBytes();
    }

    private static final class KnownLengthBytes extends ByteArrayInputStream
            implements KnownLength {
        KnownLengthBytes(byte[] bytes) {
            super(bytes);
        }
    }
}
