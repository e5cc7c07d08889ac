package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * A message of a Flight DoGet, DoPut or DoExchange stream: the flatbuffer of an IPC message and its
 * body. The buffers are not copied. A sender must not change them until they are sent; a receiver
 * owns them.
 *
 * @param descriptor present in the first message of a DoPut
 * @param dataHeader the flatbuffer of the IPC message, without length or continuation marker; may
 *     be empty
 * @param body buffers that together form the body; a received one is a single buffer
 */
public record FlightData(
        Optional<FlightDescriptor> descriptor,
        ByteBuffer dataHeader,
        ByteBuffer appMetadata,
        List<ByteBuffer> body) {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    public FlightData {
        requireNonNull(descriptor, "descriptor is null");
        requireNonNull(dataHeader, "dataHeader is null");
        requireNonNull(appMetadata, "appMetadata is null");
        body = List.copyOf(body);
    }

    /** A message with only a header and a body. */
    public static FlightData of(ByteBuffer dataHeader, List<ByteBuffer> body) {
        return new FlightData(Optional.empty(), dataHeader, EMPTY, body);
    }

    /** The first message of a stream: a schema. */
    public static FlightData schema(ByteBuffer dataHeader) {
        return of(dataHeader, List.of());
    }

    public FlightData withDescriptor(FlightDescriptor value) {
        return new FlightData(Optional.of(value), dataHeader, appMetadata, body);
    }

    public FlightData withAppMetadata(byte[] value) {
        return new FlightData(descriptor, dataHeader, ByteBuffer.wrap(value), body);
    }

    /** The size of the body in bytes. */
    public long bodySizeBytes() {
        long size = 0;
        for (ByteBuffer buffer : body) {
            size += buffer.remaining();
        }
        return size;
    }

    /** The body as one buffer; copied only if it has several buffers. */
    public ByteBuffer bodyBuffer() {
        if (body.isEmpty()) {
            return EMPTY;
        }
        if (body.size() == 1) {
            return body.get(0).duplicate();
        }
        ByteBuffer joined = ByteBuffer.allocate(Math.toIntExact(bodySizeBytes()));
        for (ByteBuffer buffer : body) {
            joined.put(buffer.duplicate());
        }
        return joined.flip();
    }
}
